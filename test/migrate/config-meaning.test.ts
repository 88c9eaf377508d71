import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { parse as parseJsonc } from 'jsonc-parser'
import { parse as parseYaml } from 'yaml'
import { planConfig } from '../../src/migrate/config/plan.ts'
import { applyEdits } from '../../src/migrate/edits.ts'
import type { Rewrite } from '../../src/migrate/plan.ts'
import { configs, dataOf, fileOf, render, type Style, styles, v1Leaves } from '../support/v1-config.ts'

type Data = Record<string, unknown>
const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }
const runs = Number(process.env.FC_RUNS ?? 400)
const seed = process.env.FC_SEED === 'random' ? undefined : 20261121

function isMap(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The look-up as ORIGIN.md says it: exact key, longest prefix that holds an array, nested arrays. */
function byLongestPrefix(map: Data, key: string): unknown {
  if (key in map) return map[key]
  const segments = key.split('.')
  for (let n = segments.length - 1; n > 0; n--) {
    const inner = map[segments.slice(0, n).join('.')]
    if (isMap(inner)) return byLongestPrefix(inner, segments.slice(n).join('.'))
  }
  return undefined
}

const v2Of: Record<string, string> = {
  'membership.manageUsers.role': 'membership.members.roles',
  'membership.provider.current': 'membership.provider.handler',
}
function toV2(key: string) {
  return v2Of[key] ?? key.replace('membership.stripe.', 'membership.providers.stripe.')
}

function overlaid(below: Data, above: Data): Data {
  const out: Data = { ...below }
  for (const [key, value] of Object.entries(above))
    out[key] = isMap(out[key]) && isMap(value) ? overlaid(out[key] as Data, value) : value
  return out
}

/** What a text says, read by its own language; environment variables come as `ENV:NAME`. */
function evaluate(text: string, { format }: Style): Data {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/^\$\{(\w+)\}$/, 'ENV:$1')
    if (Array.isArray(value)) return value.map(fill)
    return isMap(value) ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fill(v)])) : value
  }
  if (format === 'json' || format === 'jsonc')
    return fill(parseJsonc(text, [], { allowTrailingComma: true })) as Data
  if (format === 'yaml') return fill(parseYaml(text)) as Data
  const expression = text
    .replace(/^import.*$/m, '')
    .replace(/module\.exports =|export default/, 'return (')
    .trimEnd()
  return new Function('env', `${expression}\n)`)((name: string) => `ENV:${name}`) as Data
}

function expectedOf(key: string, v1: unknown): unknown {
  return key === 'membership.manageUsers.role' && typeof v1 === 'string' ? [v1] : v1
}

const codes = new Set(['meaning-would-change', 'role-not-literal', 'both-forms-differ', 'cannot-be-moved'])

/** Whether a rewrite says that it left something to a person. */
function asksSomebody(rewrites: readonly Rewrite[]): boolean {
  return rewrites.some(({ findings }) => findings.some(({ code }) => codes.has(code)))
}

const sitesArbitrary = fc.record({
  style: styles,
  base: configs(),
  overlay: fc.option(configs(), { nil: undefined }),
})

function migrated({ style, base, overlay }: { style: Style; base: never; overlay?: never }) {
  const files: [string, string][] = [[fileOf(style), render(base, style)]]
  if (overlay !== undefined) files.push([fileOf(style, 'config.localhost'), render(overlay, style)])
  const rewrites = planConfig(
    files.map(([file, text]) => ({ file, text, encoding: 'utf8' as const })),
    facts,
  )
  return files.map(([file, text]) => {
    const rewrite = rewrites.get(file) ?? { edits: [], summary: [], findings: [] }
    return { file, text, rewrite, result: applyEdits(text, rewrite.edits) }
  })
}

let unchanged = 0
let all = 0

function checkMeaning(before: Data, after: Data, rewrites: readonly Rewrite[], where: string): void {
  for (const key of v1Leaves) {
    const v1 = byLongestPrefix(before, key)
    if (v1 === undefined) continue
    all++
    const v2 = byLongestPrefix(after, toV2(key))
    if (JSON.stringify(v2) === JSON.stringify(expectedOf(key, v1))) continue
    // What is left to a person is there as it was.
    unchanged++
    const kept = byLongestPrefix(after, key)
    if (!asksSomebody(rewrites) || JSON.stringify(kept) !== JSON.stringify(v1))
      throw new Error(`${where}: ${key} was ${JSON.stringify(v1)}, ${toV2(key)} is ${JSON.stringify(v2)}`)
  }
}

test('each v2 lookup gives the value of the v1 lookup, in JSON, YAML and scripts, overlays included', (t) => {
  fc.assert(
    fc.property(
      sitesArbitrary.filter(({ style }) => style.format !== 'php'),
      (site) => {
        const files = migrated(site as never)
        const rewrites = files.map(({ rewrite }) => rewrite)
        const before = files.map(({ text }) => evaluate(text, site.style))
        const after = files.map(({ result }) => evaluate(result, site.style))
        checkMeaning(before[0]!, after[0]!, rewrites, 'the file')
        if (before[1])
          checkMeaning(overlaid(before[0]!, before[1]), overlaid(after[0]!, after[1]!), rewrites, 'laid over')
      },
    ),
    { numRuns: runs, seed },
  )
  t.log(`${all} look-ups, ${unchanged} left to a person`)
  // Mostly roles that are neither text nor env(), which the generator makes as often as not.
  t.true(unchanged < all / 4)
})

test('the generator produces what each language parses', (t) => {
  fc.assert(
    fc.property(
      styles.filter(({ format }) => format !== 'php'),
      configs(),
      (style, tree) => {
        t.deepEqual(JSON.parse(JSON.stringify(evaluate(render(tree, style), style))), dataOf(tree))
      },
    ),
    { numRuns: 100, seed },
  )
})

test('a second run changes nothing, and reversing the edits restores the bytes', (t) => {
  fc.assert(
    fc.property(sitesArbitrary, (site) => {
      const files = migrated(site as never)
      const again = planConfig(
        files.map(({ file, result }) => ({ file, text: result, encoding: 'utf8' as const })),
        facts,
      )
      for (const { file } of files) t.deepEqual(again.get(file)?.edits ?? [], [])
    }),
    { numRuns: runs, seed },
  )
})

const php = (() => {
  try {
    execFileSync('php', ['-v'])
    return true
  } catch {
    return false
  }
})()

// Written apart from the migration: loads two files, asks v1 of one and v2 of the other, closures called.
const script = `<?php
function env($name) { return "ENV:$name"; }
function look($map, $key) {
  if (array_key_exists($key, $map)) return $map[$key];
  $segments = explode('.', $key);
  for ($n = count($segments) - 1; $n > 0; $n--) {
    $inner = $map[implode('.', array_slice($segments, 0, $n))] ?? null;
    if (is_array($inner) && !array_is_list($inner)) return look($inner, implode('.', array_slice($segments, $n)));
  }
  return null;
}
$cases = json_decode(file_get_contents($argv[1]), true);
$out = [];
foreach ($cases as $i => $case) {
  $v1 = require $case['v1'][0]; $v2 = require $case['v2'][0];
  if (isset($case['v1'][1])) {
    $v1 = array_replace_recursive($v1, require $case['v1'][1]);
    $v2 = array_replace_recursive($v2, require $case['v2'][1]);
  }
  foreach ($case['keys'] as [$k1, $k2, $asks]) {
    $a = look($v1, $k1); $b = look($v2, $k2) ?? ($asks ? look($v2, $k1) : null);
    $out[] = [$i, $k1, $a instanceof Closure ? $a() : $a, $b instanceof Closure ? $b() : $b];
  }
}
echo json_encode($out);
`

;(php ? test : test.skip)('PHP itself reads the same values from v1 and v2', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'membership-php-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  // Lists are replaced index by index in PHP's own overlay; the site's meaning of that is not ours to test.
  const samples = fc.sample(
    sitesArbitrary.map((site) => ({ ...site, style: { ...site.style, format: 'php' as const } })),
    { numRuns: runs, seed: seed ?? Date.now() },
  )
  const cases = samples.map((site, i) => {
    const files = migrated(site as never)
    const write = (version: string, text: string, k: number) => {
      const file = join(folder, `${i}-${k}-${version}.php`)
      writeFileSync(file, text)
      return file
    }
    const rewrites = files.map(({ rewrite }) => rewrite)
    return {
      v1: files.map(({ text }, k) => write('v1', text, k)),
      v2: files.map(({ result }, k) => write('v2', result, k)),
      keys: v1Leaves.map((key) => [key, toV2(key), asksSomebody(rewrites)]),
    }
  })
  writeFileSync(join(folder, 'cases.json'), JSON.stringify(cases))
  writeFileSync(join(folder, 'change.php'), script)
  const printed = execFileSync('php', [join(folder, 'change.php'), join(folder, 'cases.json')], {
    maxBuffer: 1e8,
  })
  const answers = JSON.parse(printed.toString()) as [number, string, unknown, unknown][]
  const asks = cases.map(({ keys }) => keys.some(([, , asked]) => asked))
  let compared = 0
  for (const [i, key, v1, v2] of answers) {
    if (v1 === null) continue
    compared++
    if (asks[i] && JSON.stringify(v2) === JSON.stringify(v1)) continue
    t.deepEqual(
      v2,
      expectedOf(key, v1),
      `case ${i}: ${key}\n${cases[i]!.v1.concat(cases[i]!.v2)
        .map((file) => readFileSync(file, 'utf8'))
        .join('\n')}`,
    )
  }
  t.log(`${compared} look-ups by PHP`)
  t.true(compared > runs)
})
if (!php)
  console.warn('PHP is not installed: values of PHP configurations are not compared with what PHP reads.')
