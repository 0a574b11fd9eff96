//! Power against speed of rotation.

/// Watts of a spinning drive without work at the fraction `speed` of its full speed:
/// `P(n) = P_electronics + P_spindle,max (n / n_max)^a`.
///
/// The exponent a is 2 where drag of bearings and eddies rules (the quadratic fit of DRPM, Gurumurthi et al., ISCA 2003)
/// and 2.8 for air drag on the platters.
#[must_use]
pub fn spinning_w(electronics_w: f64, spindle_w: f64, exponent: f64, speed: f64) -> f64 {
    electronics_w + spindle_w * speed.powf(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_speed_draws_all_and_half_speed_a_quarter_of_the_spindle() {
        assert!((spinning_w(3.0, 8.0, 2.0, 1.0) - 11.0).abs() < 1e-12);
        assert!((spinning_w(3.0, 8.0, 2.0, 0.5) - 5.0).abs() < 1e-12);
        // 2^-2.8 = 0.143587
        assert!((spinning_w(3.0, 8.0, 2.8, 0.5) - (3.0 + 8.0 * 0.143_587_294)).abs() < 1e-6);
    }
}
