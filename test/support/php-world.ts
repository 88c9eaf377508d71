import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PaymentData } from '../../src/core/dto/payment.ts'
import { toSubscriptionData } from '../../src/providers/stripe/subscription.ts'
import { payload } from './payload.ts'

/** True where there is a PHP to run. */
export const hasPhp = spawnSync('php', ['-v']).status === 0

function subscription(i: number) {
  return {
    id: `sub_${i}`,
    object: 'subscription',
    status: ['active', 'trialing', 'past_due', 'canceled', 'unpaid', 'incomplete'][i],
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
  }
}
/** The member's subscriptions as version 1 gave them: Stripe's arrays. */
export const v1 = [0, 1, 2, 3, 4, 5].map(subscription)
/** The same as version 2 gives them. */
export const v2 = v1.map((stripe) => toSubscriptionData(payload(stripe), false)!)

/** The member's purchases in two forms of version 1, which documents none: maps, and the ids of their prices. */
export const purchases = [0, 1, 2].map((i) => ({
  id: `cs_${i}`,
  price: `price_${i}`,
  product: `prod_${i}`,
  status: 'paid',
  quantity: i + 1,
  amount: 700 * (i + 1),
  currency: 'eur',
  created: 1_760_000_000 + i,
  metadata: { seat: `${i}` },
}))
export const purchasedPrices = purchases.map(({ price }) => price)
/** The same as version 2 gives them: its Payment DTO. */
export const payments = purchases.map(
  ({ id, price, product, quantity, amount, created, metadata }): PaymentData => ({
    id,
    provider: 'stripe',
    account: 'default',
    customer_id: 'cus_0',
    subscription_id: null,
    invoice_id: null,
    price_id: price,
    items: [{ price_id: price, product_id: product, quantity }],
    quantity,
    amount,
    amount_refunded: 0,
    currency: 'EUR',
    status: 'paid',
    paid_at: new Date(created * 1000).toISOString(),
    invoice_url: null,
    livemode: false,
    metadata,
    updated_at: new Date(created * 1000).toISOString(),
    purpose: 'one_time',
  }),
)

const world = `<?php
class User {
  public $all;
  function __construct($all) { $this->all = $all; }
  function subscriptions() { return $this->all; }
  function stripe() { return new Field; }
  function content() { return $this; }
  function get($field) { return new Field; }
}
class Field { function yaml() { return data_of_provider(); } function toData($form) { return data_of_provider(); } }
class Site { public $user; function user() { return $this->user; } }
function data_of_provider() {
  return ['customer' => 'cus_0', ...($GLOBALS['version'] === 'v1' ? ['purchases' => $GLOBALS['prices']] : ['payments' => $GLOBALS['payments']])];
}
class Provider {
  function getUserData() { return data_of_provider(); }
  function __call($name, $args) {
    if ($name === ['v1' => 'purchases', 'v2' => 'payments'][$GLOBALS['version']]) return $GLOBALS[$name];
    throw new Error('no method ' . $name);
  }
  function subscriptionForPrice($id) {
    foreach (kirby()->user()->subscriptions() as $one)
      if ($one->price_id === $id && in_array($one->status, ['active', 'trialing', 'past_due', 'incomplete'])) return $one;
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
['purchases' => $purchases, 'prices' => $prices, 'payments' => $payments] = json_decode(file_get_contents(__DIR__ . '/purchases.json'), true);
$payments = array_map(fn ($one) => (object) $one, $payments);
$kept = serialize([$purchases, $prices, $payments]);
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
    [$purchases, $prices, $payments] = unserialize($kept);
    kirby()->user = new User(unserialize(serialize($subscriptions[$version])));
    $files = preg_replace('/\\bfn_(?=[a-z])/', "fn_{$i}_{$version}_", $files);
    $code = $files['main'];
    $shown[$i][$version] = $run($code, kirby()->user(), is_int(strpos($code, '$page->')) ? new Any : ['status' => 'listed'], 'price_1');
  }
echo json_encode($shown, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
`

/** Shows what PHP prints of each program, with each version's data. One process runs all. */
export function showPhp(
  folder: string,
  programs: readonly { readonly v1: Record<string, string>; readonly v2: Record<string, string> }[],
): { v1: string; v2: string }[] {
  writeFileSync(join(folder, 'world.php'), world)
  writeFileSync(
    join(folder, 'programs.json'),
    JSON.stringify(programs.map((program) => ({ v1: program.v1, v2: program.v2 }))),
  )
  writeFileSync(join(folder, 'subscriptions.json'), JSON.stringify({ v1, v2 }))
  writeFileSync(
    join(folder, 'purchases.json'),
    JSON.stringify({ purchases, prices: purchasedPrices, payments }),
  )
  const printed = execFileSync('php', [join(folder, 'world.php')], { encoding: 'utf8', maxBuffer: 1e8 })
  return JSON.parse(printed) as { v1: string; v2: string }[]
}
