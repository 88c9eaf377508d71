import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { applyEdits } from '../../src/migrate/edits.ts'
import { findGiven } from '../../src/migrate/templates/given.ts'
import { rewriteTemplate } from '../../src/migrate/templates/index.ts'
import { toSubscriptionData } from '../../src/providers/stripe/subscription.ts'
import { emptyFolder } from '../support/migrate.ts'
import { phpCrossings, phpIdioms } from '../support/php-idioms.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }
const hasPhp = spawnSync('php', ['-v']).status === 0
const withPhp = hasPhp ? test : test.skip

const subscription = (i: number) => ({
  id: `sub_${i}`,
  object: 'subscription',
  status: ['active', 'trialing', 'past_due'][i],
  customer: `cus_${i}`,
  created: 1_760_000_000 + i,
  currency: 'eur',
  cancel_at_period_end: i === 1,
  current_period_end: 1_780_000_000 + i,
  trial_end: i === 1 ? 1_770_000_000 : null,
  metadata: { seats: `${i}` },
  plan: { id: `price_${i}` },
  items: {
    object: 'list',
    data: [
      {
        id: `si_${i}`,
        quantity: i + 1,
        current_period_end: 1_780_000_000 + i,
        plan: { id: `price_${i}` },
        price: {
          id: `price_${i}`,
          product: `prod_${i}`,
          unit_amount: 500 * (i + 1),
          currency: 'eur',
          recurring: { interval: 'month', interval_count: i + 1 },
        },
      },
    ],
  },
})
const v1 = [0, 1, 2].map(subscription)
const v2 = v1.map((one) => toSubscriptionData(one, false)!)

const world = `<?php
class User { public $all; function __construct($all) { $this->all = $all; } function subscriptions() { return $this->all; } }
class Site { public $user; function user() { return $this->user; } }
class Provider {
  function subscriptionForPrice($id) {
    foreach (kirby()->user()->subscriptions() as $one) if ($one->price_id === $id) return $one;
    return null;
  }
}
class Any {
  function __call($name, $args) { return $name === 'value' ? 'price_1' : $this; }
  function __get($name) { return $this; }
  function __toString() { return 'any'; }
}
class_alias('User', 'Kirby\\Cms\\User');
class_alias('Site', 'Kirby\\Cms\\App');
function load($file) { return eval('?>' . $GLOBALS['files'][$file]); }
function snippet($file, $data = []) {
  if (!isset($GLOBALS['files'][$file])) { echo '[' . $file . ']'; return; }
  (function () use ($file, $data) { extract($data); eval('?>' . $GLOBALS['files'][$file]); })();
}
function t($key) { return $key; }
function url($path) { return '/' . $path; }
function esc($text) { return $text; }
function e($test, $text) { if ($test) echo $text; }
function option($key, $default = null) { return $key === 'site.prices.pro' ? 'price_2' : $default; }
class Accessor { function provider() { return new Provider; } function user() { return kirby()->user(); } }
function kirby() { static $site; return $site ??= new Site; }
function membership() { return new Accessor; }
function v1_array() { return $GLOBALS['subscriptions']['v1'][0]; }
set_error_handler(function ($level, $text) { if (error_reporting() & $level) throw new ErrorException($text); return true; });
$subscriptions = json_decode(file_get_contents(__DIR__ . '/subscriptions.json'), true);
$subscriptions['v2'] = array_map(function ($one) { $one['items'] = array_map(fn ($i) => (object) $i, $one['items']); return (object) $one; }, $subscriptions['v2']);
$none = [];
$run = function ($code, $user, $page, $wanted) {
  $level = ob_get_level();
  $kirby = kirby();
  [$priceId, $plans] = [$wanted, ['price_0' => ['name' => 'Zero']]];
  ob_start();
  try {
    $given = eval('?>' . $code);
    // A controller: what it tells in one word.
    if ($given instanceof Closure) echo json_encode(array_filter($given($kirby, $page), 'is_scalar'));
    return ob_get_clean();
  }
  catch (Throwable $error) { while (ob_get_level() > $level) ob_end_clean(); return 'THROWN ' . $error->getMessage(); }
};
$shown = [];
foreach (json_decode(file_get_contents(__DIR__ . '/programs.json'), true) as $i => $both)
  foreach ($both as $version => $files) {
    kirby()->user = new User(unserialize(serialize($subscriptions[$version])));
    $files = preg_replace('/\\bfn_(?=[a-z])/', "fn_{$i}_{$version}_", $files);
    $code = $files['main'];
    $shown[$i][$version] = $run($code, kirby()->user(), is_int(strpos($code, '$page->')) ? new Any : ['status' => 'listed'], 'price_1');
  }
echo json_encode($shown, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
`

/** What PHP shows of each program, with each version's data. One process for all. */
const show = async (t: ExecutionContext, programs: readonly Program[]) => {
  const folder = await emptyFolder(t)
  writeFileSync(join(folder, 'world.php'), world)
  writeFileSync(join(folder, 'programs.json'), JSON.stringify(programs.map(({ v1, v2 }) => ({ v1, v2 }))))
  writeFileSync(join(folder, 'subscriptions.json'), JSON.stringify({ v1, v2 }))
  const printed = execFileSync('php', [join(folder, 'world.php')], { encoding: 'utf8', maxBuffer: 1e8 })
  return JSON.parse(printed) as { v1: string; v2: string }[]
}

interface Program {
  /** Files by name, of which `main` is run. */
  readonly v1: Record<string, string>
  readonly v2: Record<string, string>
  readonly isEdited: boolean
  readonly hasFindings: boolean
}
const migrated = (main: string): Program => migratedTogether({ main })
const migratedTogether = (v1: Record<string, string>): Program => {
  const sources = Object.entries(v1).map(([name, text]) => ({
    file: `${name}.php`,
    text,
    encoding: 'utf8' as const,
  }))
  const given = findGiven(() => sources, facts)
  const rewrites = sources.map((source) => rewriteTemplate(source, { ...facts, given }))
  const v2 = Object.fromEntries(
    Object.entries(v1).map(([name, text], i) => [name, applyEdits(text, rewrites[i]!.edits)]),
  )
  return {
    v1,
    v2,
    isEdited: rewrites.some(({ edits }) => edits.length > 0),
    hasFindings: rewrites.some(({ findings }) => findings.length > 0),
  }
}

/** Those of the programs, run before and after, that print something else and of which nothing was said. */
const silent = async (t: ExecutionContext, programs: readonly Program[]): Promise<string[]> => {
  const shown = await show(t, programs)
  return programs.flatMap(({ v1, v2, hasFindings }, i) => {
    const { v1: before, v2: after } = shown[i]!
    t.false(before.startsWith('THROWN'), `${before}\n${toText(v1)}`)
    // Where a loop was, lines may be left out.
    const isSame = before.replace(/\s+/g, ' ').trim() === after.replace(/\s+/g, ' ').trim()
    return isSame || hasFindings ? [] : [`${toText(v1)}\n→ ${toText(v2)}\n${before}\n→ ${after}`]
  })
}

const toText = (files: Record<string, string>): string => Object.values(files).join('\n')

withPhp(
  'what another file does with a subscription shows the same before and after, or something is said (skipped without php)',
  async (t) => {
    const programs = phpCrossings().map(migratedTogether)
    t.true(programs.length > 150)
    t.deepEqual(await silent(t, programs), [])
    // What is not edited in version 1's brackets dies in version 2: each of those is said.
    t.true(programs.filter(({ hasFindings }) => hasFindings).length > 100)
  },
)

withPhp(
  'template idioms show the same before and after, or something is said (skipped without php)',
  async (t) => {
    const programs = phpIdioms().map((text) => migrated(text))
    t.deepEqual(await silent(t, programs), [])
    t.true(programs.filter(({ isEdited, hasFindings }) => isEdited && !hasFindings).length > 200)
  },
)

const golden = join(import.meta.dirname, '../fixtures/migrate')

withPhp('the golden templates show the same before and after (skipped without php)', async (t) => {
  const files = readdirSync(golden, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^templates-[^/]+\/v1\/.*(?<!blade)\.php$/.test(file),
  )
  const programs = files
    .map((file) => migrated(readFileSync(join(golden, file), 'utf8')))
    .filter(({ hasFindings, isEdited }) => isEdited && !hasFindings)
  t.true(programs.length > 2)
  t.deepEqual(await silent(t, programs), [])
})

test('a subscription that is given on and on is followed in few rounds', (t) => {
  const steps = Array.from({ length: 2000 }, (_, i) => `$v${2000 - i} = f($v${1999 - i});`)
  const text = `<?php $v0 = [$user->subscriptions()[0]]; ${steps.join(' ')} echo $v2000['status'];`
  const begun = process.cpuUsage()
  const { findings } = rewriteTemplate({ file: 'a.php', text, encoding: 'utf8' }, facts)
  t.deepEqual(
    findings.map(({ code }) => code),
    ['unknown-value'],
  )
  // Half a minute, if every step were a round.
  t.true(process.cpuUsage(begun).user < 10_000_000)
})
