//! Checks the arguments of a call against the tool's schema. The errors name the argument that is wrong.

use serde_json::Value;

/// Checks a value against its schema. `name` is its path in the arguments, such as `edits[0].path`.
pub(super) fn check(name: &str, schema: &Value, value: &mut Value) -> Result<(), String> {
    let fits = match schema["type"].as_str() {
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.as_u64() >= Some(1),
        Some("array") => value.is_array(),
        _ => value.is_object(),
    };
    if !fits {
        let wanted = match schema["type"].as_str() {
            Some("string") => "a text",
            Some("boolean") => "true or false",
            Some("integer") => "a number from 1",
            Some("array") => "a list",
            _ => "an object",
        };
        return Err(format!("`{name}` has to be {wanted}"));
    }
    if let Some(known) = schema["enum"].as_array().filter(|known| !known.contains(value)) {
        let known: Vec<_> = known.iter().filter_map(Value::as_str).collect();
        return Err(format!("`{name}` has to be one of {}", known.join(", ")));
    }
    match value {
        Value::Array(items) if items.is_empty() => Err(format!("`{name}` is empty")),
        Value::Array(items) => (0..)
            .zip(items)
            .try_for_each(|(at, item)| check(&format!("{name}[{at}]"), &schema["items"], item)),
        Value::Object(_) => members(name, schema, value),
        _ => Ok(()),
    }
}

/// Checks the members of an object. First removes members without a value: some clients send `null` or an empty string
/// for an argument that is not given. An empty string is kept if the schema allows it (`minLength` is 0).
pub(super) fn members(name: &str, schema: &Value, value: &mut Value) -> Result<(), String> {
    let place = |member: &str| match name {
        "" => member.to_owned(),
        name => format!("{name}.{member}"),
    };
    let all = value.as_object_mut().ok_or("there are no arguments")?;
    let properties = &schema["properties"];
    all.retain(|member, value| {
        let may_be_empty = properties[member.as_str()]["minLength"] == 0;
        !value.is_null() && (may_be_empty || value.as_str() != Some(""))
    });
    for (member, value) in all.iter_mut() {
        let Some(schema) = properties.get(member) else {
            return Err(format!("there is no argument `{}`", place(member)));
        };
        check(&place(member), schema, value)?;
    }
    let mut required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    match required.find(|member| !all.contains_key(*member)) {
        Some(missing) => Err(format!("`{}` is missing", place(missing))),
        None => Ok(()),
    }
}
