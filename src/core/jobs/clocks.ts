/**
 * The distance that the clocks of two machines at one database may have. A lease lasts so much longer than the work
 * under it, and a moment that another machine gave may lie so far ahead; health, log and `doctor` name a clock that
 * is further off.
 */
export const clockSkewMs = 120_000
