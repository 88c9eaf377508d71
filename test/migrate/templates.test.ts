import test from 'ava'
import { applyEdits } from '../../src/migrate/edits.ts'
import { nothing } from '../../src/migrate/plan.ts'
import { placeOf } from '../../src/migrate/source.ts'
import { rewriteTemplate } from '../../src/migrate/templates/index.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }
function rewrite(text: string, file = 'site/templates/account.php') {
  return rewriteTemplate({ file, text, encoding: 'utf8' }, facts)
}
function after(text: string, file?: string) {
  return applyEdits(text, rewrite(text, file).edits)
}
function codes(text: string, file?: string) {
  return rewrite(text, file).findings.map(({ code }) => code)
}
function advice(text: string, file?: string) {
  return rewrite(text, file).findings.map(({ code, replacement }) => [code, replacement])
}

const price = "['items']['data'][0]['price']['id']"

/** Each line alone, in the body of a loop over the member's subscriptions. */
function inLoop(line: string) {
  return `<?php foreach ($user->subscriptions() as $s) { ${line} }`
}
function loopBody(text: string) {
  return /as \$s\) \{ ([\s\S]*) \}$/.exec(text)?.[1]
}

test('a file without any of the words is not parsed', (t) => {
  t.is(rewrite('<?php foreach ($page->children() as $s) echo $s["status"];'), nothing)
  t.is(rewrite('any text', 'notes.md'), nothing)
})

test('the path to the price id becomes price_id in any notation', (t) => {
  const all: [string, string][] = [
    [`echo $s${price};`, 'echo $s->price_id;'],
    ['echo $s["items"]["data"][0]["price"]["id"];', 'echo $s->price_id;'],
    ["echo $s['items']['data']['0']['price']['id'];", 'echo $s->price_id;'],
    ["echo $s[ 'items' ][ 'data' ]\n  [0]\n  ['price']['id'];", 'echo $s->price_id;'],
    ["echo ($s)['items']['data'][0]['price']['id'];", 'echo ($s)->price_id;'],
    ["echo $s['items']['data'][0]['plan']['id'];", 'echo $s->price_id;'],
    ["echo $s['plan']['id'];", 'echo $s->price_id;'],
    [`if (isset($s${price})) {}`, 'if (isset($s->price_id)) {}'],
    [`echo $s${price} ?? 'none';`, "echo $s->price_id ?? 'none';"],
    [`echo strtoupper($s${price}), "x";`, 'echo strtoupper($s->price_id), "x";'],
    [`echo "id: {$s${price}}.";`, 'echo "id: {$s->price_id}.";'],
    [`echo <<<A\n id: {$s${price}}\n A;`, 'echo <<<A\n id: {$s->price_id}\n A;'],
  ]
  for (const [v1, v2] of all) t.is(loopBody(after(inLoop(v1))), v2, v1)
})

test('fields that kept their value become properties', (t) => {
  const all: [string, string][] = [
    ["$s['id']", '$s->id'],
    ["$s['status']", '$s->status'],
    ["$s['quantity']", '$s->quantity'],
    ["$s['items']['data'][0]['quantity']", '$s->quantity'],
    ["$s['cancel_at_period_end']", '$s->cancel_at_period_end'],
    ["$s['livemode']", '$s->livemode'],
    ["$s['customer']", '$s->customer_id'],
    ["$s['metadata']['seats']", "$s->metadata['seats']"],
    ["$s['plan']['product']", '$s->product_id'],
    ["$s['items']['data'][0]['price']['product']", '$s->product_id'],
    ["$s['items']['data'][0]['price']['unit_amount']", '$s->unit_amount'],
    ["$s['items']['data'][0]['plan']['amount']", '$s->unit_amount'],
    ["$s['items']['data'][0]['price']['recurring']['interval']", '$s->interval'],
    ["$s['items']['data'][0]['price']['recurring']['interval_count']", '$s->interval_count'],
    ["$s['items']['data'][1]['price']['id']", '$s->items[1]->price_id'],
    ["$s['items']['data'][0]['id']", '$s->items[0]->id'],
  ]
  for (const [v1, v2] of all) t.is(loopBody(after(inLoop(`echo ${v1};`))), `echo ${v2};`, v1)
})

test('short interpolation separates the property from the following text', (t) => {
  t.is(after(inLoop('echo "$s[status]!";')), inLoop('echo "$s->status!";'))
  t.is(after(inLoop('echo "$s[status] $s[id]";')), inLoop('echo "$s->status $s->id";'))
  t.is(after(inLoop('echo "$s[status]ly";')), inLoop('echo "{$s->status}ly";'))
  t.is(after(inLoop('echo "$s[status][0]";')), inLoop('echo "$s->status[0]";'))
  t.is(after(inLoop('echo "$s[status]é";')), inLoop('echo "{$s->status}é";'))
})

test('comments and texts that only mention the path stay', (t) => {
  const text = inLoop(
    `// $s${price}\n/* $s['status'] */ # $s['id']\n echo '$s["items"]["data"][0]["price"]["id"]', "\\$s[status]", "items.data.0.price.id";`,
  )
  t.is(after(text), text)
  t.deepEqual(codes(text), [])
})

test('times are listed with code for the old value, and edited only if merely tested', (t) => {
  const all: [string, string, string | null][] = [
    [
      "echo date('d.m.', $s['current_period_end']);",
      '$s->current_period_end',
      'strtotime($s->current_period_end)',
    ],
    ["echo $s['trial_end'];", '$s->trial_ends_at', 'strtotime($s->trial_ends_at)'],
    ["echo $s['start_date'] + 60;", '$s->started_at', 'strtotime($s->started_at)'],
    ["$x = $s['cancel_at'] ?? 0;", '$s->cancel_at', 'strtotime($s->cancel_at)'],
    ["echo $s['items']['data'][0]['current_period_end'];", '', 'strtotime($s->items[0]->current_period_end)'],
  ]
  for (const [line, , replacement] of all) {
    t.is(after(inLoop(line)), inLoop(line))
    t.deepEqual(advice(inLoop(line)), [['time-is-text-now', replacement]], line)
  }
  const asked: [string, string][] = [
    ["if ($s['trial_end']) {}", 'if ($s->trial_ends_at) {}'],
    [
      "if (!$s['cancel_at'] && $s['status'] === 'active') {}",
      "if (!$s->cancel_at && $s->status === 'active') {}",
    ],
    ["echo isset($s['ended_at']) ? 1 : 2;", 'echo isset($s->ended_at) ? 1 : 2;'],
    ["if ($s['canceled_at'] !== null) {}", 'if ($s->canceled_at !== null) {}'],
    ["echo empty($s['cancel_at']);", 'echo empty($s->cancel_at);'],
  ]
  for (const [v1, v2] of asked) {
    t.is(loopBody(after(inLoop(v1))), v2, v1)
    t.deepEqual(codes(inLoop(v1)), [])
  }
  // Here the value itself is what the condition gives.
  t.deepEqual(codes(inLoop("echo $s['trial_end'] ?: time();")), ['time-is-text-now'])
})

test('the currency is listed unless its case is set at once', (t) => {
  t.deepEqual(advice(inLoop("echo $s['currency'];")), [
    ['currency-is-upper-case', 'strtolower($s->currency)'],
  ])
  t.is(after(inLoop("echo strtoupper($s['currency']);")), inLoop('echo strtoupper($s->currency);'))
  t.deepEqual(codes(inLoop("echo strtoupper($s['currency']);")), [])
})

test('fields that the DTO lacks or changed are listed', (t) => {
  const all: [string, string, string | null][] = [
    ["echo $s['latest_invoice'];", 'no-dto-property', null],
    ["echo $s['items']['data'][0]['price']['nickname'];", 'no-dto-property', null],
    ["echo $s['customer']['email'];", 'no-dto-property', null],
    ["echo $s['plan'];", 'no-dto-property', null],
    ["foreach ($s['items']['data'] as $item) {}", 'line-items', '$s->items'],
    ["$item = $s['items']['data'][0];", 'line-items', '$s->items[0]'],
    ['echo $s[$key];', 'dynamic-key', null],
    ["$s['label'] = 'x';", 'assigned', null],
    ["unset($s['status']);", 'assigned', null],
    [`echo $s['items'] /* the first */ ['data'][0]['price']['id'];`, 'unclear-source', '$s->price_id'],
    ["echo (($s['items'])['data'])[0]['price']['id'];", 'unclear-source', '$s->price_id'],
    ['echo $s["\\x69tems"]["data"][0]["price"]["id"];', 'unclear-source', '$s->price_id'],
    ["echo A::get($s, 'items.data.0.price.id');", 'helper-access', '$s->price_id'],
    ["echo array_key_exists('status', $s);", 'helper-access', 'isset($s->status)'],
    ['echo count($s);', 'used-as-array', null],
    ['foreach ($s as $key => $value) {}', 'used-as-array', null],
    ["['id' => $id, 'customer' => $c] = $s;", 'destructured', '$id = $s->id; $c = $s->customer_id;'],
  ]
  for (const [line, code, replacement] of all) {
    t.is(after(inLoop(line)), inLoop(line), line)
    t.deepEqual(advice(inLoop(line)), [[code, replacement]], line)
  }
})

test('a changed status value is listed', (t) => {
  const text = inLoop("if ($s['status'] === 'incomplete_expired') {}")
  t.is(after(text), inLoop("if ($s->status === 'incomplete_expired') {}"))
  t.deepEqual(advice(text), [['status-word', "'expired'"]])
  t.deepEqual(codes("<?php // subscription\n echo 'incomplete_expired';"), [])
})

test('a finding has line, column and an explanation', (t) => {
  const text = "<?php\nforeach ($user->subscriptions() as $s) {\n  echo $s['latest_invoice'];\n}\n"
  const [finding] = rewrite(text).findings
  t.deepEqual(placeOf(text, finding!.at), { line: 3, column: 8 })
  t.regex(finding!.reason, /no property for \['latest_invoice'\]/)
})

test('these are recognised as subscriptions', (t) => {
  const all = [
    "foreach ($kirby->user()->subscriptions() as $x): echo $x['id']; endforeach;",
    "foreach ($kirby->user()?->subscriptions() ?? [] as $i => $x) echo $x['id'];",
    "foreach (membership()->user()->subscriptions() as &$x) echo $x['id'];",
    "foreach (membership()->provider()->subscriptions() as $x) echo $x['id'];",
    "foreach ($currentUser->subscriptions() as $x) echo $x['id'];",
    "foreach ($this->user()->subscriptions() as $x) echo $x['id'];",
    "foreach (subscriptions($user) as $x) echo $x['id'];",
    "$all = $user->subscriptions(); foreach ($all as $x) echo $x['id'];",
    "$all = $user ? $user->subscriptions() : []; foreach ($all as $x) echo $x['id'];",
    "foreach (array_filter($user->subscriptions(), fn ($x) => $x['id']) as $y) {}",
    "foreach (array_reverse(array_values($user->subscriptions())) as $x) echo $x['id'];",
    "usort($all, fn ($x, $b) => $x['id'] <=> 1); $all = $user->subscriptions();",
    "array_map(function (array $x) use ($y) { return $x['id']; }, $user->subscriptions());",
    "array_reduce($user->subscriptions(), fn ($all, $x) => $all . $x['id'], '');",
    "A::map($user->subscriptions(), fn ($x) => $x['id']);",
    "$x = $user->subscriptions()[0] ?? null; echo $x['id'];",
    "$x = current($user->subscriptions()); echo $x['id'];",
    "$x = A::first($user->subscriptions()); echo $x['id'];",
    "$x = membership()->provider()->subscriptionForPrice('p'); echo $x['id'];",
    "[$x] = $user->subscriptions(); echo $x['id'];",
    "$x = null; foreach ($user->subscriptions() as $y) { $x = $y; } echo $x['id'];",
    "$list = []; foreach ($user->subscriptions() as $y) $list[] = $y; foreach ($list as $x) echo $x['id'];",
    "if ($x = membership()->provider()->subscriptionForPrice('p')) echo $x['id'];",
  ]
  for (const line of all) t.is(after(`<?php ${line}`), `<?php ${line.replace("$x['id']", '$x->id')}`, line)
})

test('these are not subscriptions, and stay unchanged', (t) => {
  const all = [
    "foreach ($order->subscriptions as $x) echo $x['id'];",
    "foreach ($stripe->subscriptions->all()->data as $x) { echo $x['items']['data'][0]['price']['id']; }",
    "foreach (\\Stripe\\Subscription::all()['data'] as $x) echo $x['items']['data'][0]['price']['id'];",
    "$client = new \\Stripe\\StripeClient('k'); $x = $client->subscriptions->retrieve('s'); echo $x['items']['data'][0]['price']['id'];",
    "$x = json_decode($subscription, true); echo $x['items']['data'][0]['price']['id'];",
    "$x = $user->subscriptions()[0]; $x = ['id' => 1]; echo $z['id'];",
    "function f($x) { return $x['id']; } foreach ($user->subscriptions() as $x) {}",
    "foreach ($user->subscriptions() as $x) { array_map(function ($x) { return $x['id']; }, $rows); }",
    "array_map(fn ($x) => $x['id'], $rows, $user->subscriptions());",
    "foreach ($user->subscriptions() as $x) { $x = ['id' => 1]; } foreach ($rows as $x) echo $x['id'];",
  ]
  for (const line of all) {
    t.is(after(`<?php ${line}`), `<?php ${line}`, line)
    t.deepEqual(codes(`<?php ${line}`), [], line)
  }
})

test('undecidable cases are listed', (t) => {
  const all: [string, string, string | null][] = [
    ["foreach ($newsletter->subscriptions() as $x) echo $x['id'];", 'unknown-receiver', '$x->id'],
    ["$x = $user->subscriptions()[0]; if ($y) $x = ['id' => 1]; echo $x['id'];", 'mixed-value', '$x->id'],
    ["foreach ($user->subscriptions() as $x) { $x = row($x); echo $x['id']; }", 'mixed-value', '$x->id'],
    ["echo $subscription['status'];", 'unknown-value', '$subscription->status'],
    ["foreach ($subscriptions as $x) echo $x['status'];", 'unknown-value', '$x->status'],
    ["$x = load_from_cache(); echo $x['items']['data'][0]['price']['id'];", 'unknown-value', '$x->price_id'],
    ["use Stripe\\Event; echo $x['items']['data'][0]['price']['id'];", 'unknown-value', '$x->price_id'],
  ]
  for (const [line, code, replacement] of all) {
    t.is(after(`<?php ${line}`), `<?php ${line}`, line)
    t.deepEqual(advice(`<?php ${line}`), [[code, replacement]], line)
  }
})

test('the documented path of unknown origin is listed with both readings, not changed', (t) => {
  const kept = `<?php $kept = $order${price}; foreach ($user->subscriptions() as $s) { echo $s->status; } ?>`
  for (const [text, replacement] of [
    [kept, '$order->price_id'],
    [`<?= $subscription${price} ?>`, '$subscription->price_id'],
    [`<?= $subscriptions[0]${price} ?>`, '$subscriptions[0]->price_id'],
    [`<?php function p(array $x) { return $x${price}; }`, '$x->price_id'],
  ] as const) {
    const { edits, findings } = rewrite(text)
    t.deepEqual(edits, [], text)
    t.deepEqual(
      findings.map((finding) => [finding.code, finding.replacement]),
      [['unknown-value', replacement]],
      text,
    )
    t.regex(
      findings[0]!.reason,
      /If it is one, put this there\. If it is something else, leave it as it is\./,
    )
  }
})

test('other reads of such a variable are listed too', (t) => {
  const text = `<?= $plan${price} . $plan['status'] ?><?php // subscription ?>`
  t.is(after(text), text)
  t.deepEqual(advice(text), [
    ['unknown-value', '$plan->price_id'],
    ['unknown-value', '$plan->status'],
  ])
})

test('the variable of a second loop over something else is not confused', (t) => {
  t.is(
    after(
      "<?php foreach ($user->subscriptions() as $x) { echo $x['id']; } foreach ($rows as $x) { echo $x['id']; }",
    ),
    "<?php foreach ($user->subscriptions() as $x) { echo $x->id; } foreach ($rows as $x) { echo $x['id']; }",
  )
})

test('HTML, quoting and line ends around an edit stay', (t) => {
  const text =
    "\uFEFF<ul>\r\n<?php foreach ($user->subscriptions() as $s): ?>\r\n\t<li class='<?= $s['status'] ?>'>\u{1F600} <?=$s[\"id\"]?></li>\r\n<?php endforeach ?>\r\n</ul>"
  t.is(after(text), text.replace("$s['status']", '$s->status').replace('$s["id"]', '$s->id'))
})

test('the summary has one line for each kind of edit', (t) => {
  const text = inLoop(`echo $s${price}, $s${price}, $s['status'], $user->stripe()->yaml()['purchases'];`)
  t.deepEqual(rewrite(text).summary, [
    "['items']['data'][0]['price']['id'] → ->price_id",
    "['status'] → ->status",
    'purchases → payments',
  ])
})
