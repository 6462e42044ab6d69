//! What is drawn again only when it has changed: rows and panels that compare cheaply.
//!
//! They are one component: Yew compiles the whole life of a component anew for each type of its properties.

use std::any::Any;
use std::rc::Rc;

use yew::prelude::*;
use yew::virtual_dom::Key;

/// A part of the page that follows from nothing but its own fields.
pub trait Part: PartialEq + 'static {
    /// As it is drawn.
    fn draw(&self) -> Html;
}

/// A part that stands still until another one takes its place.
pub fn still(part: impl Part) -> Html {
    html! { <Still part={Rc::new(part) as Rc<dyn Drawable>} /> }
}

/// One of a list: it stays the same one under its key, wherever in the list it moves to.
pub fn still_at(key: impl Into<Key>, part: impl Part) -> Html {
    html! { <Still key={key.into()} part={Rc::new(part) as Rc<dyn Drawable>} /> }
}

/// A [`Part`] of whichever type.
trait Drawable: Any {
    fn draw(&self) -> Html;
    fn is(&self, other: &dyn Any) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<T: Part> Drawable for T {
    fn draw(&self) -> Html {
        Part::draw(self)
    }

    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref().is_some_and(|other| self == other)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[derive(Properties)]
struct StillProps {
    part: Rc<dyn Drawable>,
}

impl PartialEq for StillProps {
    fn eq(&self, other: &Self) -> bool {
        self.part.is(other.part.as_any())
    }
}

/// A component of no hooks and no state: what Yew makes of a function would weigh more.
struct Still;

impl Component for Still {
    type Message = ();
    type Properties = StillProps;

    fn create(_ctx: &Context<Self>) -> Self {
        Self
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        ctx.props().part.draw()
    }
}
