import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { applyEdits } from '../../src/migrate/edits.ts'
import { rewriteTemplate } from '../../src/migrate/templates/index.ts'
import { toSubscriptionData } from '../../src/providers/stripe/subscription.ts'
import { emptyFolder } from '../support/migrate.ts'
import { phpIdioms } from '../support/php-idioms.ts'

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
function snippet($name, $data = []) { echo '[' . $name . ']'; }
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
  foreach ($both as $version => $code) {
    kirby()->user = new User(unserialize(serialize($subscriptions[$version])));
    $shown[$i][$version] = $run(preg_replace('/\\bfn_(?=[a-z])/', "fn_{$i}_{$version}_", $code), kirby()->user(), is_int(strpos($code, '$page->')) ? new Any : ['status' => 'listed'], 'price_1');
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
  readonly v1: string
  readonly v2: string
  readonly isEdited: boolean
  readonly hasFindings: boolean
}
const migrated = (file: string, text: string): Program => {
  const { edits, findings } = rewriteTemplate({ file, text, encoding: 'utf8' }, facts)
  const v2 = applyEdits(text, edits)
  return { v1: text, v2, isEdited: edits.length > 0, hasFindings: findings.length > 0 }
}

/** Those of the programs, run before and after, that print something else and of which nothing was said. */
const silent = async (t: ExecutionContext, programs: readonly Program[]): Promise<string[]> => {
  const shown = await show(t, programs)
  return programs.flatMap(({ v1, v2, hasFindings }, i) => {
    const { v1: before, v2: after } = shown[i]!
    t.false(before.startsWith('THROWN'), `${before}\n${v1}`)
    // Where a loop was, lines may be left out.
    const isSame = before.replace(/\s+/g, ' ').trim() === after.replace(/\s+/g, ' ').trim()
    return isSame || hasFindings ? [] : [`${v1}\n→ ${v2}\n${before}\n→ ${after}`]
  })
}

withPhp(
  'template idioms show the same before and after, or something is said (skipped without php)',
  async (t) => {
    const programs = phpIdioms().map((text) => migrated('a.php', text))
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
    .map((file) => migrated(file, readFileSync(join(golden, file), 'utf8')))
    .filter(({ hasFindings, isEdited }) => isEdited && !hasFindings)
  t.true(programs.length > 2)
  t.deepEqual(await silent(t, programs), [])
})

test('a subscription that is given on and on is followed in few rounds', (t) => {
  const steps = Array.from({ length: 2000 }, (_, i) => `$v${2000 - i} = f($v${1999 - i});`)
  const text = `<?php $v0 = [$user->subscriptions()[0]]; ${steps.join(' ')} echo $v2000['status'];`
  const begun = performance.now()
  const { findings } = rewriteTemplate({ file: 'a.php', text, encoding: 'utf8' }, facts)
  t.deepEqual(
    findings.map(({ code }) => code),
    ['unknown-value'],
  )
  // Half a minute, if every step were a round.
  t.true(performance.now() - begun < 10_000)
})
