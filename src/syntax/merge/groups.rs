//! Groups values by their keys.

use std::collections::HashMap;
use std::hash::Hash;

/// The values of each key, in their order.
pub(super) struct Groups<K, V>(HashMap<K, Vec<V>>);

impl<K: Hash + Eq, V> Groups<K, V> {
    pub(super) fn get(&self, key: &K) -> &[V] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }
}

impl<K: Hash + Eq, V> FromIterator<(K, V)> for Groups<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(all: I) -> Self {
        let mut groups: HashMap<K, Vec<V>> = HashMap::new();
        for (key, value) in all {
            groups.entry(key).or_default().push(value);
        }
        Self(groups)
    }
}
