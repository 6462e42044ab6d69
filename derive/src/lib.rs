//! `#[derive(FromNode)]`: a type is read from a tree of JSON (`shared::tree`) by the same `#[serde(...)]` notes that say
//! how serde writes it.
//!
//! Serde's own `derive(Deserialize)` makes a visitor for every type and compiles it once for every way of reading; in
//! the page that was two fifths of all code. This one makes one plain function a type: it takes the fields out of a node
//! by their names. The type also gets serde's `Deserialize`, by way of the tree, so that nobody who reads it notices.
//!
//! # What it knows
//!
//! - on a type: `tag`, `rename_all = "snake_case"`, `deny_unknown_fields`, `transparent`
//! - on a variant: `rename`
//! - on a field: `rename`, `default`, `default = "function"`, `with = "module"` (whose `from_node` reads it), `flatten`
//!
//! What only matters to the writer (`skip_serializing_if`) is passed over; any other note is refused at compile time,
//! so that what is written can be read.
//!
//! # Layout
//!
//! - here: the macro; `notes`: what `#[serde(...)]` says; `body`: the function that reads

mod body;
mod notes;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{DeriveInput, Error, GenericParam, Generics, parse_macro_input, parse_quote};

/// Implements `shared::tree::FromNode`, and serde's `Deserialize` by way of it.
#[proc_macro_derive(FromNode, attributes(serde))]
pub fn from_node(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    implement(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn implement(input: &DeriveInput) -> syn::Result<Tokens> {
    let functions = body::functions(input)?;
    let name = &input.ident;
    let bounded = with_bounds(input.generics.clone());
    let (of_type, arguments, clause) = bounded.split_for_impl();
    let mut with_lifetime = bounded.clone();
    with_lifetime.params.insert(0, parse_quote!('de));
    let (of_reader, _, _) = with_lifetime.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #of_type ::shared::tree::FromNode for #name #arguments #clause {
            #functions
        }

        #[automatically_derived]
        impl #of_reader ::serde::Deserialize<'de> for #name #arguments #clause {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                ::shared::tree::deserialize(deserializer)
            }
        }
    })
}

/// What a generic type holds must be readable too.
fn with_bounds(mut generics: Generics) -> Generics {
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.bounds.push(parse_quote!(::shared::tree::FromNode));
        }
    }
    generics
}
