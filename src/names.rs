//! Defines enumerations whose values have stable names. `--json`, records and the documentation use these names.

/// Defines an enumeration with the names of its values.
macro_rules! named {
    ($(#[$of_type:meta])* $Type:ident { $($(#[$of_value:meta])* $Value:ident = $name:literal,)* }) => {
        $(#[$of_type])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Type { $($(#[$of_value])* $Value,)* }

        impl $Type {
            /// All values, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$Value,)*];

            /// Their names.
            pub const NAMES: &[&'static str] = &[$($name,)*];

            /// The stable name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$Value => $name,)* }
            }

            /// Returns the value with exactly this name.
            pub fn of_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == name)
            }
        }

        impl serde::Serialize for $Type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $Type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                Self::of_name(&name).ok_or_else(|| serde::de::Error::custom("an unknown name"))
            }
        }
    };
}
pub(crate) use named;
