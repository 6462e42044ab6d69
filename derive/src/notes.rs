//! What `#[serde(...)]` says about a type, a variant or a field.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Ident, LitStr, Path};

/// All that is said of one type, variant or field; what is not said is false or none.
#[derive(Default)]
pub(crate) struct Notes {
    /// The field that names the variant.
    pub(crate) tag: Option<LitStr>,
    /// `rename_all = "snake_case"`, the only one there is.
    pub(crate) snake_case: bool,
    pub(crate) deny_unknown_fields: bool,
    pub(crate) transparent: bool,
    pub(crate) flatten: bool,
    pub(crate) default: Option<Default>,
    /// The module whose `from_node` reads the field.
    pub(crate) with: Option<Path>,
    rename: Option<LitStr>,
}

/// What stands for a field that is not there.
pub(crate) enum Default {
    /// The type's own default.
    OfType,
    /// What this function gives.
    Function(Path),
}

impl Notes {
    pub(crate) fn read(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut notes = Self::default();
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("serde"))
        {
            attribute.parse_nested_meta(|note| notes.take(&note))?;
        }
        Ok(notes)
    }

    fn take(&mut self, note: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let text = || note.value()?.parse::<LitStr>();
        let Some(name) = note.path.get_ident() else {
            return Err(note.error("no note of serde's"));
        };
        match name.to_string().as_str() {
            "tag" => self.tag = Some(text()?),
            "rename" => self.rename = Some(text()?),
            "rename_all" => match text()? {
                case if case.value() == "snake_case" => self.snake_case = true,
                other => {
                    return Err(syn::Error::new(
                        other.span(),
                        "FromNode knows \"snake_case\" only",
                    ));
                }
            },
            "deny_unknown_fields" => self.deny_unknown_fields = true,
            "transparent" => self.transparent = true,
            "flatten" => self.flatten = true,
            "default" if note.input.peek(syn::Token![=]) => {
                self.default = Some(Default::Function(text()?.parse()?));
            }
            "default" => self.default = Some(Default::OfType),
            "with" => self.with = Some(text()?.parse()?),
            "skip_serializing_if" => drop(text()?),
            other => return Err(note.error(format!("FromNode does not know `{other}`"))),
        }
        Ok(())
    }

    /// What the JSON calls a variant of the type that these notes are about.
    pub(crate) fn name_of_variant(&self, variant: &Ident, notes: &Self) -> String {
        match &notes.rename {
            Some(name) => name.value(),
            None if self.snake_case => snake_case(&variant.to_string()),
            None => variant.to_string(),
        }
    }

    /// What the JSON calls the field that these notes are about.
    pub(crate) fn name_of_field(&self, field: &Ident) -> String {
        self.rename
            .as_ref()
            .map_or_else(|| field.to_string(), LitStr::value)
    }
}

/// "MemberJoined" -> "member_joined".
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for (place, letter) in name.char_indices() {
        if letter.is_uppercase() && place > 0 {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
