"use client"
// src/n.tsx
export const n = 1;
