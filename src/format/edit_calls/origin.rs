//! Where a text comes from that calls are read from: the response, or a string in it, or a string in that.

use crate::format::json::Places;
use crate::span::Span;

/// Where a text comes from.
pub(super) enum Origin<'o> {
    /// It is the response with that index.
    Response(u32),
    /// It is made of what stands there.
    Whole(Span),
    /// It is what a string of another text says.
    String(&'o Origin<'o>, Places),
}

impl Origin<'_> {
    /// Where in the response a part of the text is written.
    pub(super) fn span(&self, mut start: usize, mut end: usize) -> Span {
        let mut origin = self;
        loop {
            match origin {
                Origin::Whole(span) => return *span,
                Origin::Response(id) => return Span::new(*id, start, end),
                Origin::String(outer, places) => {
                    (start, end, origin) = (places.of(start), places.of(end), outer);
                }
            }
        }
    }
}
