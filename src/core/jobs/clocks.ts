/**
 * How far the clocks of two machines at one database may be apart. A lease lasts so much longer than the work under it,
 * and a moment that another machine gave may lie so far ahead; `doctor` names a clock that is further away.
 */
export const clockSkewMs = 120_000
