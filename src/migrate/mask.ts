/**
 * Masks everything that must not leave the machine in a report: e-mail addresses, password hashes, and values
 * beside a name that suggests a key or secret. Names of keys, `env()` calls, price ids and paths stay
 * readable. Masking a masked text changes nothing. O(text).
 */
export function mask(text: string): string {
  return rules.reduce(
    (masked, [pattern, replacement]) => masked.replace(pattern, replacement as string),
    text,
  )
}

const dots = '•••'

// Names of secrets in keys, variables and properties.
const named =
  '[\\w.-]{0,80}(?:secret|webhook|password|passwd|passphrase|token|api[_-]?key|private[_-]?key|credentials?|dsn)(?:[_-]?(?:key|hash|id|secret))?'

type Rule = readonly [RegExp, string | ((match: string, ...groups: string[]) => string)]

const rules: readonly Rule[] = [
  // postgres://user:password@host
  [/(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/'"]{1,100}:)[^\s@/'"]{1,200}@/gi, `$1${dots}@`],
  [/[A-Za-z0-9._%+-]{1,64}@(?=[A-Za-z0-9-]{1,63}\.)[A-Za-z0-9.-]{1,253}/g, `${dots}@${dots}`],
  // Password hashes in crypt's formats.
  [/\$(?:2[abxy]|5|6|1|y|argon2(?:id|i|d)|pbkdf2[\w-]{0,20})\$[^\s'"<>]{8,300}/g, `$$${dots}`],
  // Keys of providers by their prefix.
  [
    /\b((?:sk|rk|pk)_(?:live|test)_|whsec_|pdl_(?:\w{1,10}_)?|polar_\w{2,5}_|shpat_|access\$\w{1,10}\$)[\w+/=$-]{1,300}/g,
    `$1${dots}`,
  ],
  [/\b((?:live|test)_)[A-Za-z0-9]{16,200}\b/g, `$1${dots}`],
  // NAME_SECRET=value in .env files, also in the lines of a diff.
  [
    new RegExp(
      `^([-+ ]?[ \\t]*(?:#[ \\t]*)?(?:export[ \\t]+)?${named}[ \\t]*=(?!>)[ \\t]*)(?!\\$\\{)[^\\s=][^\\n]*`,
      'gim',
    ),
    `$1${dots}`,
  ],
  // 'secret' => 'value', "webhook": "value", secret: 'value'
  [
    new RegExp(
      `(${named}["']?\\]?[ \\t]*(?:=>|:|=)[ \\t]*\\[?[ \\t]*)(["'])(?!\\$\\{)((?:\\\\.|(?!\\2)[^\\\\\\n]){1,2000})\\2`,
      'gi',
    ),
    `$1$2${dots}$2`,
  ],
  // secret: value
  [
    new RegExp(
      `(\\b${named}:[ \\t]+)(?!["'&*|>{\\[(•$]|(?:env|getenv|fn|function|async|process|import|null|true|false)\\b)[^\\s#,}][^\\n#,}]{0,2000}`,
      'gi',
    ),
    `$1${dots}`,
  ],
  [/\b[0-9a-f]{32,}\b/gi, dots],
  [/[A-Za-z0-9+_-]{24,}={0,2}/g, (match) => (looksRandom(match) ? dots : match)],
]

// Ids of prices and objects help to understand a change and are not secret.
const ids = /^(?:price|prod|plan|sub|si|cus|evt|in|pi|ch|cs|pri|pro|ctm|txn|tr|cst|ord)_/

function looksRandom(word: string): boolean {
  if (ids.test(word)) return false
  const count = (pattern: RegExp) => word.match(pattern)?.length ?? 0
  return count(/[A-Z]/g) > 1 && count(/[a-z]/g) > 1 && count(/[0-9]/g) > 1
}
