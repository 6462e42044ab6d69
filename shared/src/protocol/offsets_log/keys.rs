//! The keys of the records of groups that are not classic: Kafka has a schema for each, all of which look like one of
//! these.

use crate::protocol::lend::{default_view_of, lent};
use crate::protocol::table::{default_of, field, message, structure, versions};

lent! {
    /// Which group it is.
    message GroupKey as GroupKeyView [0-0, flexible none] {
        /// The group.
        group_id: String [0+],
    }
}

lent! {
    /// Which member it is.
    message MemberKey as MemberKeyView [0-0, flexible none] {
        /// Its group.
        group_id: String [0+],
        /// Its id.
        member_id: String [0+],
    }
}

lent! {
    /// Which pattern of topics it is.
    message RegularExpressionKey as RegularExpressionKeyView [0-0, flexible none] {
        /// The group with members that want it.
        group_id: String [0+],
        /// The pattern, in RE2J's language.
        regular_expression: String [0+],
    }
}
