/** 0 or 1, the same in both dialects. */
export type Flag = number
/** ISO 8601 UTC with milliseconds, so that text order is time order. */
export type Time = string
/** A JSON document as text. */
export type Json = string
