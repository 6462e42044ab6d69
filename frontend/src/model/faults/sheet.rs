//! Any fault with its fields, filled in by its shape.

use shared::fault::{Fault, Field, Kind, SHAPES, Shape};
use shared::ids::GroupId;
use shared::sorted::SortedMap;
use shared::tree::{FromNode, Node};

/// Which fault, and what stands in its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    chosen: Option<&'static str>,
    /// By the field's name. What is not there is the default.
    values: SortedMap<&'static str, String>,
}

impl Sheet {
    /// The faults that have no buttons of their own.
    pub fn shapes() -> impl Iterator<Item = &'static Shape> {
        const ELSEWHERE: [&str; 9] = [
            "silence", "kill", "leave", "add", "delay", "drop", "stop", "restart", "answer",
        ];
        SHAPES.iter().filter(|shape| !ELSEWHERE.contains(&shape.name))
    }

    /// The fault that is chosen; the first one at first.
    #[must_use]
    pub fn shape(&self) -> Option<&'static Shape> {
        let chosen = Self::shapes().find(|shape| Some(shape.name) == self.chosen);
        chosen.or_else(|| Self::shapes().next())
    }

    /// Another fault; a field that both have keeps what stands in it where it can mean the same.
    pub fn choose(&mut self, name: &str) {
        if let Some(shape) = Self::shapes().find(|shape| shape.name == name) {
            self.chosen = Some(shape.name);
            self.values
                .retain(|field, _| matches!(*field, "member" | "group"));
        }
    }

    /// Something else in a field.
    pub fn fill(&mut self, field: &'static str, value: &str) {
        self.values.insert(field, value.to_owned());
    }

    /// What stands in a field: what was filled in, else its default, else the least that is allowed. `group` is the one
    /// on show.
    #[must_use]
    pub fn value(&self, field: &Field, group: &GroupId) -> String {
        if let Some(value) = self.values.get(field.name) {
            return value.clone();
        }
        match field.kind {
            Kind::Number { default, least, .. } => match default {
                Some(default) => default.to_string(),
                None if field.required => least.to_string(),
                None => String::new(),
            },
            Kind::Word { words } => words.first().map(|word| (*word).to_owned()).unwrap_or_default(),
            Kind::Code { codes } => codes.first().map(i16::to_string).unwrap_or_default(),
            Kind::Group if field.required => group.as_str().to_owned(),
            Kind::Member | Kind::Group | Kind::Api | Kind::Answer | Kind::Text { .. } => String::new(),
        }
    }

    /// Whether what stands in a field can be played, or is left to its default.
    #[must_use]
    pub fn is_good(&self, field: &Field, group: &GroupId) -> bool {
        self.said(field, group).is_some()
    }

    /// What a field says: null where it is left to its default, none where what stands in it is none of its values.
    fn said(&self, field: &Field, group: &GroupId) -> Option<Node<'static>> {
        let text = self.value(field, group);
        // "" is a group's id too.
        let may_be_empty = matches!(field.kind, Kind::Group) && field.required;
        if text.is_empty() && !may_be_empty {
            return (!field.required).then_some(Node::Null);
        }
        match field.kind {
            Kind::Number { least, most, .. } => {
                let number: i64 = text.trim().parse().ok()?;
                (least..=most).contains(&number).then(|| Node::from(number))
            }
            Kind::Code { .. } => text.parse::<i16>().ok().map(|code| Node::from(i64::from(code))),
            Kind::Text { most } if text.len() > most => None,
            _ => Some(Node::Text(text.into())),
        }
    }

    /// The fault; none while a field that must be filled in is empty, or one holds what is none of its values.
    #[must_use]
    pub fn fault(&self, group: &GroupId) -> Option<Fault> {
        let shape = self.shape()?;
        let mut fields = vec![("fault".into(), Node::Text(shape.name.into()))];
        for field in shape.fields {
            match self.said(field, group)? {
                Node::Null => {}
                value => fields.push((field.name.into(), value)),
            }
        }
        let fault = Fault::from_node(&Node::Object(fields)).ok()?;
        // Of these two one is needed, whichever.
        let says_nothing = matches!(
            fault,
            Fault::Advertise {
                host: None,
                port: None,
                ..
            }
        );
        (!says_nothing).then_some(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(name: &str) -> Sheet {
        let mut sheet = Sheet::default();
        sheet.choose(name);
        sheet
    }

    #[test]
    fn every_fault_can_be_played_from_it_once_its_member_is_named() {
        let group = GroupId::from("demo");
        for shape in Sheet::shapes() {
            let mut sheet = sheet(shape.name);
            if shape
                .fields
                .iter()
                .any(|field| field.name == "member" && field.required)
            {
                assert_eq!(sheet.fault(&group), None, "{}", shape.name);
                sheet.fill("member", "demo-1");
            }
            if shape.name == "advertise" {
                assert_eq!(sheet.fault(&group), None, "neither host nor port");
                sheet.fill("port", "9092");
            }
            assert_eq!(sheet.fault(&group).unwrap().name(), shape.name);
        }
    }

    #[test]
    fn what_is_filled_in_is_what_is_played() {
        let mut sheet = sheet("refuse");
        sheet.fill("error", "16");
        sheet.fill("ms", "5000");
        sheet.fill("group", "other");
        let fault = serde_json::to_value(sheet.fault(&GroupId::from("demo"))).unwrap();
        assert_eq!(
            fault,
            serde_json::json!({"fault": "refuse", "error": 16, "ms": 5000, "group": "other"})
        );
    }

    #[test]
    fn a_number_out_of_bounds_is_not_played() {
        let group = GroupId::from("demo");
        let mut sheet = sheet("clock_step");
        for (text, played) in [
            ("-86400000", true),
            ("-86400001", false),
            ("1.5", false),
            ("", false),
        ] {
            sheet.fill("ms", text);
            assert_eq!(sheet.fault(&group).is_some(), played, "{text}");
            assert_eq!(sheet.is_good(&sheet.shape().unwrap().fields[0], &group), played);
        }
    }

    #[test]
    fn another_fault_keeps_the_member_and_forgets_the_rest() {
        let mut sheet = sheet("half_open");
        sheet.fill("member", "demo-1");
        sheet.fill("ms", "7");
        sheet.choose("rejoin");
        sheet.choose("no such fault");
        let fault = sheet.fault(&GroupId::from("demo"));
        let times = shared::fault::limits::REJOINS;
        let member = "demo-1".into();
        assert_eq!(
            fault,
            Some(Fault::Rejoin {
                member,
                times,
                every_ms: 0
            })
        );
    }
}
