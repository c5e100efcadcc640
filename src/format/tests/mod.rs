//! Tests of all formats.

mod cost;
pub(super) mod linear;
mod properties;

use crate::edit::FormatId;

#[test]
fn names_of_formats_are_parsed() {
    for id in FormatId::ALL {
        assert_eq!(id.as_str().parse::<FormatId>().as_ref(), Ok(id));
    }
    let message = "OPX".parse::<FormatId>().unwrap_err().to_string();
    for id in FormatId::ALL {
        assert!(message.contains(id.as_str()), "{message}");
    }
}
