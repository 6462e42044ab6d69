//! The macros that make a table into code: a structure, its default, both directions at every version, and
//! its description as a value.
//!
//! A row is `name: Type [versions, attributes]`, in Kafka's notation of versions (`0+`, `2-4`). The
//! attributes, in this order where several are given:
//!
//! - `nullable 3+`: null is allowed in these versions; the type is an `Option`
//! - `default null`, `default -1`, `default true`: Kafka's default where it is not the zero of the type
//! - `tag 1 3+`: a tagged field of this number in these versions (KIP-482)
//! - `ignorable`: dropped silently by versions that do not carry it; others refuse a value that is not the
//!   default
//! - `omissible 1-1`: in these versions the message may end before it

/// A message: `message! { Name [versions, flexible versions] { rows } }`.
macro_rules! message {
    (
        $(#[$doc:meta])*
        $name:ident [$min:literal - $max:literal, flexible $flexible:tt $($plus:tt)?] { $($rows:tt)* }
    ) => {
        structure! { $(#[$doc])* $name { $($rows)* } }

        impl $crate::protocol::Message for $name {
            const NAME: &'static str = stringify!($name);
            const SCHEMA: &'static $crate::protocol::schema::Schema = &$crate::protocol::schema::Schema {
                name: stringify!($name),
                versions: $crate::protocol::schema::VersionRange::new($min, $max),
                flexible: versions!($flexible $($plus)?),
                fields: Self::FIELDS,
            };

            fn encode(&self, version: i16, out: &mut Vec<u8>) -> Result<(), $crate::protocol::EncodeError> {
                $crate::protocol::message::encode(self, version, out)
            }

            fn decode(body: &[u8], version: i16) -> Result<Self, $crate::protocol::DecodeError> {
                $crate::protocol::message::decode(body, version)
            }
        }
    };
}

/// A structure inside a message: `structure! { Name { rows } }`.
macro_rules! structure {
    (
        $(#[$doc:meta])*
        $name:ident {
            $($(#[$field_doc:meta])* $field:ident: $type:ty [$($attribute:tt)*],)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(test, derive(serde::Serialize), serde(rename_all = "PascalCase"))]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: default_of!($type; $($attribute)*),)* }
            }
        }

        impl $name {
            /// The table's rows, in wire order.
            pub(crate) const FIELDS: &'static [$crate::protocol::schema::Field] =
                &[$(field!($field, $type, $($attribute)*),)*];
        }

        impl $crate::protocol::value::Value for $name {
            const KIND: $crate::protocol::schema::Kind =
                $crate::protocol::schema::Kind::Structure(&$crate::protocol::schema::Structure {
                    name: stringify!($name),
                    fields: Self::FIELDS,
                });
            // The tables have no structure of which a version carries nothing.
            const LEAST_BYTES: usize = 1;

            fn zero() -> Self {
                Self::default()
            }

            fn read(
                reader: &mut $crate::protocol::reader::Reader<'_>,
                _nullable: bool,
            ) -> Result<Self, $crate::protocol::DecodeError> {
                let mut value = Self::default();
                $crate::protocol::table::read_rows!(reader, value, field, tagged_field, {$($field: $type [$($attribute)*],)*});
                Ok(value)
            }

            fn write(
                &self,
                writer: &mut $crate::protocol::writer::Writer<'_>,
                _nullable: bool,
            ) -> Result<(), $crate::protocol::EncodeError> {
                #[allow(unused_mut, reason = "most tables have no tagged field")]
                let mut tags = Vec::new();
                $({
                    const FIELD: $crate::protocol::schema::Field = field!($field, $type, $($attribute)*);
                    if FIELD.in_place(writer.version()) {
                        writer.field(&FIELD, &self.$field)?;
                    } else if self.$field != default_of!($type; $($attribute)*) {
                        match FIELD.tag_in(writer.version()) {
                            Some(tag) => writer.tagged(&mut tags, tag, &FIELD, &self.$field)?,
                            None => writer.dropped(&FIELD)?,
                        }
                    }
                })*
                if writer.is_flexible() {
                    writer.tags(tags)?;
                }
                Ok(())
            }
        }

        impl $crate::protocol::value::Nullable for $name {
            fn read_nullable(
                reader: &mut $crate::protocol::reader::Reader<'_>,
            ) -> Result<Option<Self>, $crate::protocol::DecodeError> {
                $crate::protocol::message::read_nullable(reader)
            }

            fn write_nullable(
                value: Option<&Self>,
                writer: &mut $crate::protocol::writer::Writer<'_>,
            ) -> Result<(), $crate::protocol::EncodeError> {
                $crate::protocol::message::write_nullable(value, writer)
            }
        }
    };
}

/// Reads the rows of a structure into `$value`, each by the reader's method `$read` or, of a tagged field,
/// `$read_tagged`.
macro_rules! read_rows {
    (
        $reader:ident, $value:ident, $read:ident, $read_tagged:ident,
        {$($field:ident: $type:ty [$($attribute:tt)*],)*}
    ) => {
        $({
            const FIELD: $crate::protocol::schema::Field = field!($field, $type, $($attribute)*);
            if FIELD.in_place($reader.version()) && !$reader.omits(&FIELD) {
                $value.$field = $reader.$read::<$type>(&FIELD)?;
            }
        })*
        if $reader.is_flexible() {
            for _ in 0..$reader.tag_count()? {
                let (_tag, mut _section) = $reader.tagged()?;
                $({
                    const FIELD: $crate::protocol::schema::Field = field!($field, $type, $($attribute)*);
                    if FIELD.tag_in($reader.version()) == Some(_tag) {
                        $value.$field = _section.$read_tagged::<$type>(&FIELD)?;
                        _section.finish()?;
                    }
                })*
            }
        }
    };
}

/// Versions in Kafka's notation.
macro_rules! versions {
    (none) => {
        $crate::protocol::schema::VersionRange::NONE
    };
    ($min:literal +) => {
        $crate::protocol::schema::VersionRange::from($min)
    };
    ($min:literal - $max:literal) => {
        $crate::protocol::schema::VersionRange::new($min, $max)
    };
}

/// One row as a value.
macro_rules! field {
    (@ $field:expr $(,)?) => { $field };
    (@ $field:expr, nullable $a:literal + $($rest:tt)*) => {
        field!(@ $field.nullable(versions!($a +)) $($rest)*)
    };
    (@ $field:expr, nullable $a:literal - $b:literal $($rest:tt)*) => {
        field!(@ $field.nullable(versions!($a - $b)) $($rest)*)
    };
    (@ $field:expr, default null $($rest:tt)*) => { field!(@ $field.default_value("null") $($rest)*) };
    (@ $field:expr, default $value:literal $($rest:tt)*) => {
        field!(@ $field.default_value(stringify!($value)) $($rest)*)
    };
    (@ $field:expr, tag $tag:literal $a:literal + $($rest:tt)*) => {
        field!(@ $field.tag($tag, versions!($a +)) $($rest)*)
    };
    (@ $field:expr, ignorable $($rest:tt)*) => { field!(@ $field.ignorable() $($rest)*) };
    (@ $field:expr, omissible $a:literal - $b:literal $($rest:tt)*) => {
        field!(@ $field.omissible(versions!($a - $b)) $($rest)*)
    };
    ($name:ident, $type:ty, $a:literal + $($rest:tt)*) => {
        field!(@ field!(new $name, $type).versions(versions!($a +)) $($rest)*)
    };
    ($name:ident, $type:ty, $a:literal - $b:literal $($rest:tt)*) => {
        field!(@ field!(new $name, $type).versions(versions!($a - $b)) $($rest)*)
    };
    (new $name:ident, $type:ty) => {
        $crate::protocol::schema::Field::new(
            stringify!($name),
            <$type as $crate::protocol::value::Value>::KIND,
        )
    };
}

/// The default of one row.
macro_rules! default_of {
    ($type:ty;) => { <$type as $crate::protocol::value::Value>::zero() };
    ($type:ty; default null $($rest:tt)*) => { None };
    ($type:ty; default $value:literal $($rest:tt)*) => { $value };
    ($type:ty; $skipped:tt $($rest:tt)*) => { default_of!($type; $($rest)*) };
}

pub(crate) use {default_of, field, message, read_rows, structure, versions};
