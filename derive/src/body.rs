//! The functions that read a type.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Data, DataEnum, DataStruct, DeriveInput, Error, Field, Fields, Ident, Type, Variant};

use crate::notes::{Default, Notes};

/// What stands inside the `impl FromNode`.
pub(crate) fn functions(input: &DeriveInput) -> syn::Result<Tokens> {
    let notes = Notes::read(&input.attrs)?;
    match &input.data {
        Data::Struct(it) => match (&it.fields, the_only(&it.fields)) {
            (_, Some(inner)) if notes.transparent => Ok(of_transparent(&it.fields, inner)),
            (Fields::Named(_), _) => of_struct(it, &notes),
            (other, _) => Err(Error::new(
                other.span(),
                "FromNode needs named fields, or `transparent`",
            )),
        },
        Data::Enum(it) => match &notes.tag {
            Some(tag) => of_tagged(it, &notes, &tag.value()),
            None => of_words(it, &notes),
        },
        Data::Union(it) => Err(Error::new(it.union_token.span, "FromNode cannot read a union")),
    }
}

/// A type that is written as the one value it holds.
fn of_transparent(fields: &Fields, inner: &Type) -> Tokens {
    let name = fields.iter().next().and_then(|field| field.ident.as_ref());
    let make = |value: Tokens| match name {
        Some(name) => quote!(Self { #name: #value }),
        None => quote!(Self(#value)),
    };
    let read = make(quote!(::shared::tree::FromNode::from_node(node)?));
    let absent = make(quote!(<#inner as ::shared::tree::FromNode>::absent()?));
    quote! {
        fn from_node(node: &::shared::tree::Node<'_>) -> ::core::result::Result<Self, ::shared::tree::Misread> {
            ::core::result::Result::Ok(#read)
        }

        fn absent() -> ::core::option::Option<Self> {
            ::core::option::Option::Some(#absent)
        }
    }
}

fn of_struct(it: &DataStruct, notes: &Notes) -> syn::Result<Tokens> {
    let read = all_fields(&it.fields)?;
    let check = notes
        .deny_unknown_fields
        .then(|| only(&it.fields, None))
        .transpose()?;
    Ok(function(&quote! {
        let mut fields = ::shared::tree::Fields::of(node)?;
        #check
        ::core::result::Result::Ok(Self #read)
    }))
}

/// An enum whose variants are plain words, or objects of one field: the word, and under it what the variant holds.
fn of_words(it: &DataEnum, notes: &Notes) -> syn::Result<Tokens> {
    let all_plain = it
        .variants
        .iter()
        .all(|variant| matches!(variant.fields, Fields::Unit));
    let place = if all_plain {
        quote!(let place = ::shared::tree::word(node, WORDS)?;)
    } else {
        quote!(let (place, node) = ::shared::tree::variant(node, WORDS)?;)
    };
    let made = it.variants.iter().map(|variant| {
        let made = of_variant(variant, notes, None)?;
        Ok(match variant.fields {
            Fields::Named(_) => quote!({ let mut fields = ::shared::tree::Fields::of(node)?; #made }),
            _ => made,
        })
    });
    by_word(it, notes, &place, made.collect::<syn::Result<_>>()?)
}

/// An enum whose variants are objects, one field of which (the tag) names the variant.
fn of_tagged(it: &DataEnum, notes: &Notes, tag: &str) -> syn::Result<Tokens> {
    let place = quote! {
        let mut fields = ::shared::tree::Fields::of(node)?;
        let place = fields.word(#tag, WORDS)?;
    };
    let made = it
        .variants
        .iter()
        .map(|variant| of_variant(variant, notes, Some(tag)));
    by_word(it, notes, &place, made.collect::<syn::Result<_>>()?)
}

/// The variant whose word stands at `place` among all of them.
fn by_word(it: &DataEnum, notes: &Notes, place: &Tokens, mut made: Vec<Tokens>) -> syn::Result<Tokens> {
    let words = it.variants.iter().map(|variant| {
        let of_variant = Notes::read(&variant.attrs)?;
        Ok(notes.name_of_variant(&variant.ident, &of_variant))
    });
    let words = words.collect::<syn::Result<Vec<_>>>()?;
    // A place is always below the number of words, so the last arm is the last word's.
    let last = made.pop();
    let places = 0..made.len();
    Ok(function(&quote! {
        const WORDS: &[&str] = &[#(#words),*];
        #place
        ::core::result::Result::Ok(match place { #(#places => #made,)* _ => #last })
    }))
}

/// A variant from `node`, which holds its fields, and `fields`, where they have names.
fn of_variant(variant: &Variant, notes: &Notes, tag: Option<&str>) -> syn::Result<Tokens> {
    let name = &variant.ident;
    let fields = &variant.fields;
    let read = match (fields, the_only(fields)) {
        (Fields::Unnamed(_), Some(_)) => {
            return Ok(quote!(Self::#name(::shared::tree::FromNode::from_node(node)?)));
        }
        (Fields::Unnamed(_), None) => {
            return Err(Error::new(fields.span(), "FromNode needs named fields here"));
        }
        (Fields::Named(_), _) => all_fields(fields)?,
        (Fields::Unit, _) => Tokens::new(),
    };
    let has_fields = tag.is_some() || matches!(fields, Fields::Named(_));
    let check = (notes.deny_unknown_fields && has_fields)
        .then(|| only(fields, tag))
        .transpose()?;
    Ok(quote!({ #check Self::#name #read }))
}

/// `{ a: fields.get("a")?, ... }`
fn all_fields(fields: &Fields) -> syn::Result<Tokens> {
    let read = fields.iter().map(|field| {
        let (notes, ident, name) = parts(field)?;
        let value = match (&notes.with, &notes.default) {
            (None, None) if notes.flatten => quote!(::shared::tree::FromNode::from_node(node)?),
            (None, None) => quote!(fields.get(#name)?),
            (None, Some(Default::OfType)) => quote!(fields.get_or(#name, ::core::default::Default::default)?),
            (None, Some(Default::Function(default))) => quote!(fields.get_or(#name, #default)?),
            (Some(module), None) => quote!(fields.get_by(#name, #module::from_node)?),
            (Some(_), Some(_)) => {
                return Err(Error::new(
                    field.span(),
                    "FromNode knows `with` or `default`, not both",
                ));
            }
        };
        Ok(quote!(#ident: #value))
    });
    let read = read.collect::<syn::Result<Vec<_>>>()?;
    Ok(quote!({ #(#read),* }))
}

/// The check that there are no other fields than these and the tag.
fn only(fields: &Fields, tag: Option<&str>) -> syn::Result<Tokens> {
    let names = fields.iter().map(|field| Ok(parts(field)?.2));
    let names = names.collect::<syn::Result<Vec<_>>>()?;
    Ok(quote!(fields.are_only(&[#(#names),*], &[#tag])?;))
}

/// What is said of a named field, its name in Rust and its name in JSON.
fn parts(field: &Field) -> syn::Result<(Notes, &Ident, String)> {
    let notes = Notes::read(&field.attrs)?;
    let Some(ident) = &field.ident else {
        return Err(Error::new(field.span(), "FromNode needs a named field here"));
    };
    let name = notes.name_of_field(ident);
    Ok((notes, ident, name))
}

/// The type of the only field.
fn the_only(fields: &Fields) -> Option<&Type> {
    let mut fields = fields.iter();
    let first = fields.next()?;
    fields.next().is_none().then_some(&first.ty)
}

fn function(body: &Tokens) -> Tokens {
    quote! {
        fn from_node(node: &::shared::tree::Node<'_>) -> ::core::result::Result<Self, ::shared::tree::Misread> {
            #body
        }
    }
}
