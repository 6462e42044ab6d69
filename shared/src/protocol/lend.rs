//! Reading without copying: a table's structure beside which stands a view of it, the same rows borrowed from the
//! bytes. For what is read by the million, such as the records of `__consumer_offsets`.

use super::error::{DecodeError, DecodeFault};
use super::reader::Reader;
use super::uuid::Uuid;
use super::value::{Nullable, Value};

/// A type of a table that can be borrowed.
pub trait Lent {
    /// What it looks like then.
    type View<'a>;
}

/// How that is read.
pub(crate) trait Lend: Value + Lent {
    /// As [`Value::zero`].
    fn zero_view<'a>() -> Self::View<'a>;

    /// As [`Value::read`].
    fn lend<'a>(reader: &mut Reader<'a>, nullable: bool) -> Result<Self::View<'a>, DecodeError>;
}

/// How that is read where it may be null.
pub(crate) trait LendNullable: Lend + Nullable {
    /// As [`Nullable::read_nullable`].
    fn lend_nullable<'a>(reader: &mut Reader<'a>) -> Result<Option<Self::View<'a>>, DecodeError>;
}

impl<T: Lent> Lent for Option<T> {
    type View<'a> = Option<T::View<'a>>;
}

impl<T: LendNullable> Lend for Option<T> {
    fn zero_view<'a>() -> <Self as Lent>::View<'a> {
        Some(T::zero_view())
    }

    fn lend<'a>(reader: &mut Reader<'a>, nullable: bool) -> Result<Self::View<'a>, DecodeError> {
        if nullable {
            T::lend_nullable(reader)
        } else {
            T::lend(reader, false).map(Some)
        }
    }
}

/// What is as small as a reference to it.
macro_rules! small {
    ($($type:ty)*) => {$(
        impl Lent for $type {
            type View<'a> = Self;
        }

        impl Lend for $type {
            fn zero_view<'a>() -> <Self as Lent>::View<'a> {
                Self::zero()
            }

            fn lend<'a>(reader: &mut Reader<'a>, nullable: bool) -> Result<Self, DecodeError> {
                Self::read(reader, nullable)
            }
        }
    )*};
}

small!(bool i8 i16 u16 i32 i64 Uuid);

/// A type whose null is a length: see `measured!` in [`super::value`].
macro_rules! measured {
    () => {
        fn lend<'a>(reader: &mut Reader<'a>, _nullable: bool) -> Result<Self::View<'a>, DecodeError> {
            let value = Self::lend_nullable(reader)?;
            value.ok_or_else(|| reader.error(DecodeFault::Null))
        }
    };
}

impl Lent for String {
    type View<'a> = &'a str;
}

impl Lend for String {
    fn zero_view<'a>() -> <Self as Lent>::View<'a> {
        ""
    }

    measured!();
}

impl LendNullable for String {
    fn lend_nullable<'a>(reader: &mut Reader<'a>) -> Result<Option<&'a str>, DecodeError> {
        match reader.text_length()? {
            None => Ok(None),
            Some(length) => reader.text(length).map(Some),
        }
    }
}

impl Lent for Vec<u8> {
    type View<'a> = &'a [u8];
}

impl Lend for Vec<u8> {
    fn zero_view<'a>() -> <Self as Lent>::View<'a> {
        &[]
    }

    measured!();
}

impl LendNullable for Vec<u8> {
    fn lend_nullable<'a>(reader: &mut Reader<'a>) -> Result<Option<&'a [u8]>, DecodeError> {
        match reader.long_length()? {
            None => Ok(None),
            Some(length) => reader.take(length).map(Some),
        }
    }
}

impl<T: Lent> Lent for Vec<T> {
    type View<'a> = Vec<T::View<'a>>;
}

impl<T: Lend> Lend for Vec<T> {
    fn zero_view<'a>() -> <Self as Lent>::View<'a> {
        Vec::new()
    }

    measured!();
}

impl<T: Lend> LendNullable for Vec<T> {
    fn lend_nullable<'a>(reader: &mut Reader<'a>) -> Result<Option<Self::View<'a>>, DecodeError> {
        match reader.long_length()? {
            None => Ok(None),
            Some(count) => {
                let items = reader.items_by(count, T::LEAST_BYTES, |reader| T::lend(reader, false))?;
                Ok(Some(items))
            }
        }
    }
}

/// A message or a structure, as `message!` and `structure!` have it, and its view:
/// `lent! { message Name as NameView [versions, flexible versions] { rows } }`, `lent! { structure Name as NameView { rows } }`.
macro_rules! lent {
    (
        $(#[$doc:meta])*
        message $name:ident as $view:ident [$min:literal - $max:literal, flexible $($flexible:tt)+] { $($rows:tt)* }
    ) => {
        message! { $(#[$doc])* $name [$min - $max, flexible $($flexible)+] { $($rows)* } }
        lent! { @view $(#[$doc])* $name as $view { $($rows)* } }
    };
    ($(#[$doc:meta])* structure $name:ident as $view:ident { $($rows:tt)* }) => {
        structure! { $(#[$doc])* $name { $($rows)* } }
        lent! { @view $(#[$doc])* $name as $view { $($rows)* } }
    };
    (
        @view $(#[$doc:meta])*
        $name:ident as $view:ident {
            $($(#[$field_doc:meta])* $field:ident: $type:ty [$($attribute:tt)*],)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $view<'a> {
            $($(#[$field_doc])* pub $field: <$type as $crate::protocol::lend::Lent>::View<'a>,)*
        }

        impl $crate::protocol::lend::Lent for $name {
            type View<'a> = $view<'a>;
        }

        impl $crate::protocol::lend::Lend for $name {
            fn zero_view<'a>() -> <Self as $crate::protocol::lend::Lent>::View<'a> {
                $view { $($field: default_view_of!($type; $($attribute)*),)* }
            }

            fn lend<'a>(
                reader: &mut $crate::protocol::reader::Reader<'a>,
                _nullable: bool,
            ) -> Result<$view<'a>, $crate::protocol::DecodeError> {
                let mut view = <Self as $crate::protocol::lend::Lend>::zero_view();
                $crate::protocol::table::read_rows!(reader, view, lend, lend_tagged, {$($field: $type [$($attribute)*],)*});
                Ok(view)
            }
        }

        impl $crate::protocol::lend::LendNullable for $name {
            fn lend_nullable<'a>(
                reader: &mut $crate::protocol::reader::Reader<'a>,
            ) -> Result<Option<$view<'a>>, $crate::protocol::DecodeError> {
                if reader.is_present()? {
                    <Self as $crate::protocol::lend::Lend>::lend(reader, false).map(Some)
                } else {
                    Ok(None)
                }
            }
        }
    };
}

/// The default of one row of a view.
macro_rules! default_view_of {
    ($type:ty;) => { <$type as $crate::protocol::lend::Lend>::zero_view() };
    ($type:ty; default null $($rest:tt)*) => { None };
    ($type:ty; default $value:literal $($rest:tt)*) => { $value };
    ($type:ty; $skipped:tt $($rest:tt)*) => { default_view_of!($type; $($rest)*) };
}

pub(crate) use {default_view_of, lent};
