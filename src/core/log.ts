/** Receives what a site's operator should know: a sentence and its details, never a secret. */
export type Log = (message: string, details?: Record<string, unknown>) => void
