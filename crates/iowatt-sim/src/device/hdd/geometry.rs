//! Where a sector is: zones, cylinders, heads, skew. Angles are picoseconds of rotation.
//!
//! Skew follows the layout of zoned drives as extracted by DIXtrac (DiskSim's G1 layout): the first
//! sector of a track is displaced by the track skew for every head switch and by the cylinder skew for
//! every cylinder change since the start of its zone.

use crate::plan::{HddPlan, ZonePlan};

/// A sector's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the zone.
    pub zone: u32,
    /// Cylinder, 0 outermost.
    pub cylinder: u32,
    /// Surface.
    pub head: u32,
    /// Sector on the track.
    pub sector: u32,
}

#[derive(Clone, Copy, Debug)]
struct Zone {
    first_lbn: u64,
    first_cylinder: u32,
    cylinders: u32,
    sectors_per_track: u64,
    sectors_per_cylinder: u64,
    track_skew_ps: u64,
    /// Displacement from one cylinder's first track to the next one's.
    cylinder_step_ps: u64,
}

/// The layout of a drive.
#[derive(Clone, Debug)]
pub struct Geometry {
    zones: Vec<Zone>,
    heads: u64,
    sectors: u64,
    cylinders: u32,
    /// Picoseconds per revolution.
    pub revolution_ps: u64,
}

impl Geometry {
    /// Lays out the zones of `plan` from LBN 0 at the outer edge.
    #[must_use]
    pub fn new(plan: &HddPlan) -> Self {
        let revolution_ps = (60e12 / plan.rpm).round() as u64;
        let heads = u64::from(plan.surfaces);
        let (mut lbn, mut cylinder) = (0, 0);
        let zones = plan
            .zones
            .iter()
            .map(|z: &ZonePlan| {
                let spt = u64::from(z.sectors_per_track);
                let sector_ps = revolution_ps as f64 / spt as f64;
                let skew =
                    |sectors: f64| (sectors * sector_ps).round().rem_euclid(revolution_ps as f64) as u64;
                let track_skew_ps = skew(z.track_skew_sectors);
                let zone = Zone {
                    first_lbn: lbn,
                    first_cylinder: cylinder,
                    cylinders: z.cylinders,
                    sectors_per_track: spt,
                    sectors_per_cylinder: spt * heads,
                    track_skew_ps,
                    cylinder_step_ps: (track_skew_ps * (heads - 1) + skew(z.cylinder_skew_sectors))
                        % revolution_ps,
                };
                lbn += zone.sectors_per_cylinder * u64::from(z.cylinders);
                cylinder += z.cylinders;
                zone
            })
            .collect();
        Self { zones, heads, sectors: plan.sectors.min(lbn), cylinders: cylinder, revolution_ps }
    }

    /// Sectors that the drive offers.
    #[must_use]
    pub fn sectors(&self) -> u64 {
        self.sectors
    }

    /// Cylinders of all zones.
    #[must_use]
    pub fn cylinders(&self) -> u32 {
        self.cylinders
    }

    /// The place of `lbn`, which must be below [`Self::sectors`].
    #[must_use]
    pub fn locate(&self, lbn: u64) -> Place {
        let zone = self.zones.partition_point(|z| z.first_lbn <= lbn) - 1;
        let z = &self.zones[zone];
        let in_zone = lbn - z.first_lbn;
        let cylinder = in_zone / z.sectors_per_cylinder;
        let in_cylinder = in_zone % z.sectors_per_cylinder;
        Place {
            zone: zone as u32,
            cylinder: z.first_cylinder + cylinder as u32,
            head: (in_cylinder / z.sectors_per_track) as u32,
            sector: (in_cylinder % z.sectors_per_track) as u32,
        }
    }

    /// The cylinder of `lbn`.
    #[must_use]
    pub fn cylinder(&self, lbn: u64) -> u32 {
        self.locate(lbn).cylinder
    }

    /// Sectors on the track of `place`.
    #[must_use]
    pub fn sectors_per_track(&self, place: Place) -> u64 {
        self.zones[place.zone as usize].sectors_per_track
    }

    /// Rotation that brings the start of `place` under the head, from the index mark.
    #[must_use]
    pub fn angle_ps(&self, place: Place) -> u64 {
        let z = &self.zones[place.zone as usize];
        let cylinder = u64::from(place.cylinder - z.first_cylinder);
        (z.track_skew_ps * u64::from(place.head)
            + z.cylinder_step_ps * cylinder
            + u64::from(place.sector) * self.revolution_ps / z.sectors_per_track)
            % self.revolution_ps
    }

    /// The first sector of the track after that of `place`.
    #[must_use]
    pub fn next_track(&self, place: Place) -> Place {
        let next = Place { sector: 0, ..place };
        if u64::from(place.head) + 1 < self.heads {
            return Place { head: place.head + 1, ..next };
        }
        let z = &self.zones[place.zone as usize];
        let cylinder = place.cylinder + 1;
        let zone = place.zone + u32::from(cylinder == z.first_cylinder + z.cylinders);
        Place { head: 0, cylinder, zone, ..next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::hdd::tests::small_disk;
    use proptest::prelude::*;

    #[test]
    fn zones_follow_one_another() {
        // Zone 0: 10 cylinders x 2 heads x 100 sectors; zone 1: 20 x 2 x 50. 4,000 sectors.
        let g = Geometry::new(&small_disk());
        assert_eq!((g.sectors(), g.cylinders()), (4_000, 30));
        assert_eq!(g.locate(0), Place { zone: 0, cylinder: 0, head: 0, sector: 0 });
        assert_eq!(g.locate(199), Place { zone: 0, cylinder: 0, head: 1, sector: 99 });
        assert_eq!(g.locate(2_000), Place { zone: 1, cylinder: 10, head: 0, sector: 0 });
        assert_eq!(g.locate(3_999), Place { zone: 1, cylinder: 29, head: 1, sector: 49 });
    }

    #[test]
    fn skew_displaces_the_first_sector() {
        // 6,000 rpm: 10 ms a turn. Zone 0 has 100 sectors of 0.1 ms, track skew 10, cylinder skew 20.
        let g = Geometry::new(&small_disk());
        let ms = 1_000_000_000;
        assert_eq!(g.angle_ps(g.locate(100)), ms); // head 1: 10 sectors
        assert_eq!(g.angle_ps(g.locate(200)), 3 * ms); // cylinder 1: 10 + 20 sectors
        assert_eq!(g.angle_ps(g.locate(250)), 8 * ms); // and 50 sectors on
    }

    proptest! {
        #[test]
        fn the_next_track_is_where_the_next_lbn_is(lbn in 0u64..4_000) {
            let g = Geometry::new(&small_disk());
            let place = g.locate(lbn);
            let rest = g.sectors_per_track(place) - u64::from(place.sector);
            if lbn + rest < g.sectors() {
                prop_assert_eq!(g.next_track(place), g.locate(lbn + rest));
            }
        }
    }
}
