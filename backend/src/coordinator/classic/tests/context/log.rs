//! The log of `__consumer_offsets` as tests play it: it answers late or not at all, its partition comes and goes.

use std::collections::VecDeque;

use shared::protocol::offsets_log::OffsetsRecord;

use super::{GROUP, NODE, World};
use crate::coordinator::Input;
use crate::coordinator::offsets_log::partition_of;

impl World {
    /// From now on the log answers when it is told to.
    pub(crate) fn hold_appends(&mut self) {
        self.held = Some(VecDeque::new());
    }

    /// The log answers the oldest append it has not answered.
    pub(crate) fn log_answers(&mut self, result: Result<(), i16>) {
        let held = self.held.as_mut().and_then(VecDeque::pop_front);
        let (append, records) = held.expect("something was to be stored");
        if result.is_ok() {
            self.log.extend(records);
        }
        self.input(self.now, Input::Appended { append, result });
    }

    /// An input now.
    pub(crate) fn step(&mut self, input: Input<'_>) {
        self.input(self.now, input);
    }

    /// The group's partition comes or goes.
    pub(crate) fn unload(&mut self) {
        self.input(
            self.now,
            Input::Unload {
                node: NODE,
                partition: partition_of(GROUP),
            },
        );
    }

    pub(crate) fn begin_to_load(&mut self) {
        self.input(
            self.now,
            Input::LoadBegins {
                node: NODE,
                partition: partition_of(GROUP),
            },
        );
    }

    /// It holds these records.
    pub(crate) fn load(&mut self, records: Vec<OffsetsRecord>) {
        let input = Input::Loaded {
            node: NODE,
            partition: partition_of(GROUP),
            records,
        };
        self.input(self.now, input);
    }
}
