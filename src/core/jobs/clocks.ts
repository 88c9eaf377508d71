/**
 * The largest tolerated difference between the clocks of two machines at one database. A lease lasts this much longer
 * than the work under it, and another machine's moment may lie this far ahead. Health, log and `doctor` report a clock
 * that differs more.
 */
export const clockSkewMs = 120_000
