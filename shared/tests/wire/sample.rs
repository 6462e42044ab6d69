//! Random bodies made from a schema alone, by other code than the codec's: what the codec is measured with.
//!
//! A body is written as KIP-482 and its predecessors say, so a codec that reads it must write the same bytes
//! again. Where each length stands is kept, for those who want to spoil one.

use shared::protocol::schema::{Field, Kind, Schema};
use shared::split_mix;

/// A body and where its lengths stand.
#[derive(Default)]
pub(crate) struct Sample {
    pub(crate) bytes: Vec<u8>,
    pub(crate) lengths: Vec<Length>,
}

/// A length, a count or a size inside a body.
#[derive(Clone, Debug)]
pub(crate) struct Length {
    /// Its first byte.
    pub(crate) at: usize,
    pub(crate) form: Form,
    /// What it belongs to.
    pub(crate) field: &'static str,
    /// Whether null may stand there.
    pub(crate) nullable: bool,
}

/// How a length is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Int16,
    Int32,
    /// A variable-length number of so many bytes; of strings, bytes and arrays it is one more than the
    /// length.
    Varint(usize),
}

/// Numbers without a pattern, the same for the same seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        split_mix::next(&mut self.0)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }
}

/// A body of `schema` in `version`.
pub(crate) fn sample(schema: &Schema, version: i16, seed: u64) -> Sample {
    make(schema, version, seed, false)
}

/// The same with tagged fields that no version knows.
pub(crate) fn sample_of_the_future(schema: &Schema, version: i16, seed: u64) -> Sample {
    make(schema, version, seed, true)
}

fn make(schema: &Schema, version: i16, seed: u64, unknown_tags: bool) -> Sample {
    let mut maker = Maker {
        version,
        flexible: schema.flexible.contains(version),
        unknown_tags,
        random: Random(seed.wrapping_mul(0x0100_0000_01b3) ^ u64::from(version.unsigned_abs())),
        depth: 0,
        sample: Sample::default(),
    };
    maker.fields(schema.fields);
    maker.sample
}

struct Maker {
    version: i16,
    flexible: bool,
    unknown_tags: bool,
    random: Random,
    depth: u32,
    sample: Sample,
}

impl Maker {
    fn fields(&mut self, fields: &'static [Field]) {
        for field in fields {
            if field.in_place(self.version) {
                self.value(
                    field.kind,
                    field.name,
                    field.nullable.contains(self.version),
                    0xff,
                );
            }
        }
        if self.flexible {
            self.tags(fields);
        }
    }

    /// `absent` stands for a structure that is null.
    fn value(&mut self, kind: Kind, field: &'static str, nullable: bool, absent: u8) {
        let null = nullable && self.random.one_in(4);
        match kind {
            Kind::Bool => {
                let bit = self.random.below(2) as u8;
                self.raw(&[bit]);
            }
            Kind::Int8 => self.number(1),
            Kind::Int16 | Kind::Uint16 => self.number(2),
            Kind::Int32 => self.number(4),
            Kind::Int64 => self.number(8),
            Kind::Uuid => self.number(16),
            Kind::String => {
                let text = self.text();
                self.length(Form::Int16, field, nullable, (!null).then_some(text.len()));
                if !null {
                    self.raw(text.as_bytes());
                }
            }
            Kind::Bytes | Kind::Records => {
                let length = self.size(40);
                self.length(Form::Int32, field, nullable, (!null).then_some(length));
                if !null {
                    self.number(length);
                }
            }
            Kind::Array(item) => {
                let count = self.size(5 >> self.depth.min(1));
                self.length(Form::Int32, field, nullable, (!null).then_some(count));
                self.depth += 1;
                for _ in 0..if null { 0 } else { count } {
                    self.value(*item, field, false, absent);
                }
                self.depth -= 1;
            }
            Kind::Structure(structure) => {
                if nullable {
                    self.raw(&[if null { absent } else { 1 }]);
                }
                if !null {
                    self.fields(structure.fields);
                }
            }
        }
    }

    /// The tagged fields: half of the known ones, none of them at its default, and unknown ones above them.
    fn tags(&mut self, fields: &'static [Field]) {
        let mut sections = Vec::new();
        for field in fields {
            let Some(tag) = field.tag_in(self.version) else {
                continue;
            };
            if self.random.one_in(2) {
                continue;
            }
            let section = self.section(|maker| {
                maker.value(field.kind, field.name, field.nullable.contains(maker.version), 0);
            });
            if section.bytes != default_bytes(field) {
                sections.push((tag, section));
            }
        }
        if self.unknown_tags {
            for tag in [100, 20_000, u32::MAX] {
                sections.push((tag, self.section(|maker| maker.number(tag as usize % 7))));
            }
        }
        sections.sort_by_key(|(tag, _)| *tag);
        self.varint(sections.len() as u32, "tagged fields", false);
        for (tag, section) in sections {
            self.raw(&varint(tag));
            self.varint(section.bytes.len() as u32, "tagged fields", false);
            let start = self.sample.bytes.len();
            self.raw(&section.bytes);
            self.sample
                .lengths
                .extend(section.lengths.into_iter().map(|length| Length {
                    at: length.at + start,
                    ..length
                }));
        }
    }

    fn section(&mut self, fill: impl FnOnce(&mut Self)) -> Sample {
        let outer = std::mem::take(&mut self.sample);
        fill(self);
        std::mem::replace(&mut self.sample, outer)
    }

    fn length(&mut self, form: Form, field: &'static str, nullable: bool, length: Option<usize>) {
        if self.flexible {
            return self.varint(length.map_or(0, |length| length as u32 + 1), field, nullable);
        }
        self.sample.lengths.push(Length {
            at: self.sample.bytes.len(),
            form,
            field,
            nullable,
        });
        match (form, length.map_or(-1, |length| length as i32)) {
            (Form::Int16, length) => self.raw(&(length as i16).to_be_bytes()),
            (_, length) => self.raw(&length.to_be_bytes()),
        }
    }

    fn varint(&mut self, value: u32, field: &'static str, nullable: bool) {
        let bytes = varint(value);
        let form = Form::Varint(bytes.len());
        self.sample.lengths.push(Length {
            at: self.sample.bytes.len(),
            form,
            field,
            nullable,
        });
        self.raw(&bytes);
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.sample.bytes.extend_from_slice(bytes);
    }

    fn number(&mut self, bytes: usize) {
        for _ in 0..bytes {
            let byte = self.random.next() as u8;
            self.raw(&[byte]);
        }
    }

    /// Mostly below `bound`, now and then so large that its length takes two bytes where it is of variable
    /// length.
    fn size(&mut self, bound: u64) -> usize {
        let bound = if self.depth == 0 && self.random.one_in(40) {
            300
        } else {
            bound
        };
        self.random.below(bound) as usize
    }

    fn text(&mut self) -> String {
        const LETTERS: [char; 8] = ['a', 'Z', '.', '-', '"', '\u{0}', 'é', '🦀'];
        (0..self.size(12))
            .map(|_| LETTERS[self.random.below(8) as usize])
            .collect()
    }
}

/// What a tagged field's default looks like: it is never written.
fn default_bytes(field: &Field) -> Vec<u8> {
    match (field.kind, field.default) {
        (Kind::Bool, None | Some("false")) => vec![0],
        (Kind::Int32, None) => vec![0; 4],
        (Kind::Int64, None) => vec![0; 8],
        (Kind::Int32, Some(number)) => number.parse::<i32>().unwrap().to_be_bytes().to_vec(),
        (Kind::Int64, Some(number)) => number.parse::<i64>().unwrap().to_be_bytes().to_vec(),
        (Kind::Uuid, None) => vec![0; 16],
        (Kind::String, Some("null")) => vec![0],
        (Kind::Array(_), None) => vec![1],
        // No tagged field follows, and it is not null.
        (Kind::Structure(structure), None) => {
            let present = (!field.nullable.is_empty()).then_some(1);
            let fields = structure.fields.iter().flat_map(default_bytes);
            present.into_iter().chain(fields).chain([0]).collect()
        }
        (kind, default) => {
            panic!("no tagged field was a {kind:?} with default {default:?} when this was written")
        }
    }
}

/// An unsigned number of variable length.
pub(crate) fn varint(mut value: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 128 {
        bytes.push((value % 128) as u8 + 128);
        value /= 128;
    }
    bytes.push(value as u8);
    bytes
}
