//! Open arrivals handed out ahead of their time, for whoever simulates parts of a run at once.

use super::{Arrivals, Pace, scaled};
use crate::error::SimError;
use iowatt_trace::Request;

impl Arrivals<'_> {
    /// The next request of an open workload, its stamp the time of its arrival: [`Self::schedule`] and [`Self::take`] in one.
    /// The source is read as far as these read it.
    ///
    /// # Errors
    /// As the source.
    #[inline]
    pub fn next_open(&mut self) -> Result<Option<Request>, SimError> {
        let Pace::Open { speed, .. } = self.pace else { return Ok(None) };
        let Some(request) = self.reader.take()? else { return Ok(None) };
        let at = self.start.saturating_add(scaled(request.time_ns, speed));
        if at >= self.end {
            self.reader.close();
            return Ok(None);
        }
        Ok(Some(Request { time_ns: at, ..request }))
    }
}
