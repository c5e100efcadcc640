pub const STEP: u32 = 2;
