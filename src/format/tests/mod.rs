//! What holds for all formats.

mod cost;
pub(super) mod linear;
mod properties;

use crate::edit::FormatId;

#[test]
fn names_lead_to_formats_and_back() {
    for id in FormatId::ALL {
        assert_eq!(id.as_str().parse::<FormatId>().as_ref(), Ok(id));
    }
    let message = "OPX".parse::<FormatId>().unwrap_err().to_string();
    for id in FormatId::ALL {
        assert!(message.contains(id.as_str()), "{message}");
    }
}
