//! What holds of the whole coordinator between any two inputs; property tests and fuzz targets check it after each.

use shared::ids::GroupId;

use super::desk::Load;
use super::{Coordinator, Ticket};

impl Coordinator {
    /// The tickets of all requests that wait, in order.
    ///
    /// # Panics
    ///
    /// Where something does not hold that must.
    #[doc(hidden)]
    #[must_use]
    pub fn check_invariants(&self) -> Vec<Ticket> {
        let (mut alarms, mut load, mut parked) = (0, Load::default(), Vec::new());
        for group in self.groups.values() {
            group.check_invariants();
            alarms += group.alarms();
            let weight = group.weight();
            load.members += weight.members;
            load.pending += weight.pending;
            load.offsets += weight.offsets;
            load.bytes += weight.bytes;
            parked.extend(group.parked());
        }
        assert_eq!(self.desk.load, load);
        assert_eq!(self.desk.timers.len(), alarms);
        parked.sort_unstable();
        parked
    }

    /// Each group's generation.
    pub(crate) fn generations(&self) -> impl Iterator<Item = (&GroupId, i32)> {
        self.groups.iter().map(|(id, group)| (id, group.generation()))
    }
}
