/**
 * True if a text is an absolute address, or one relative to `base`. Not `URL.canParse`: on Node 20 it denies
 * addresses with letters such as "ä" once it was called some thousand times and V8 has compiled the call.
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base)
    return true
  } catch {
    return false
  }
}
