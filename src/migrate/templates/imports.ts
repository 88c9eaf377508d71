/**
 * Returns the name by which others import a file's default export: `lib/total.js` and `lib/total/index.js`
 * are `default total`.
 */
export function defaultOf(file: string): string {
  const [last = '', folder = ''] = file
    .replace(/[?#].*$/, '')
    .split('/')
    .reverse()
  const stem = last.replace(/\.\w+$/, '').toLowerCase()
  return `default ${stem === 'index' || stem === '.' || stem === '..' ? folder.toLowerCase() : stem}`
}

/** Returns a script's names for its imports, with their original names. */
export function importedNames(text: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const take = (what: string, from: string) => {
    const [, own, listed] = /^\s*([\w$]+)?\s*,?\s*(?:\{([^}]*)\})?/.exec(what)!
    if (own) names.set(own, defaultOf(from))
    for (const [, there = '', here = there] of (listed ?? '').matchAll(named))
      names.set(here, there === 'default' ? defaultOf(from) : there)
  }
  for (const [, what = '', from = ''] of text.matchAll(imports)) take(what, from)
  for (const [, what = '', from = ''] of text.matchAll(requires)) take(what, from)
  return names
}

const named = /([\w$]+)(?:\s*(?:\bas\b|:)\s*([\w$]+))?/g
const imports =
  /\bimport\s+(?:type\s+)?([\w$][\w$\s]{0,200}(?:,\s*\{[^}]{0,2000}\})?|\{[^}]{0,2000}\})\s*from\s*['"]([^'"\n]+)['"]/g
const requires =
  /\b(?:const|let|var)\s+([\w$]+|\{[^}]{0,2000}\})\s*=\s*(?:await\s+import|require)\s*\(\s*['"]([^'"\n]+)['"]/g
