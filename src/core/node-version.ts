/** Returns the refusal of a Node that is too old for this package; null for a newer Node, Bun and Deno. */
export function tooOld(
  { node, bun, deno }: { node: string; bun?: string; deno?: string } = process.versions,
): { readonly message: string; readonly action: string } | null {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (bun || deno || major > 20 || (major === 20 && minor >= 19)) return null
  return {
    message: `membership needs Node 20.19 or newer; this is Node ${node}.`,
    action: 'Install Node 22 or newer.',
  }
}
