/** What may become of a member's subscriptions in PHP before one of them is `$s`; BODY stands for what is done with it. */
const sources: readonly string[] = [
  'foreach ($user->subscriptions() as $s) { BODY }',
  'foreach ($user->subscriptions() as $i => $s): BODY endforeach;',
  'foreach (kirby()->user()->subscriptions() ?? [] as $s) { BODY }',
  'foreach ($user->subscriptions() as &$s) { BODY } unset($s);',
  '$subs = $user->subscriptions(); foreach ($subs as $s) { BODY }',
  "foreach (array_filter($user->subscriptions(), fn ($x) => $x['status'] !== 'past_due') as $s) { BODY }",
  'foreach (array_reverse($user->subscriptions()) as $s) { BODY }',
  'foreach (array_slice($user->subscriptions(), 1) as $s) { BODY }',
  'foreach (new ArrayIterator($user->subscriptions()) as $s) { BODY }',
  '$s = $user->subscriptions()[0]; BODY',
  '$s = current($user->subscriptions()); BODY',
  '$subs = $user->subscriptions(); $s = end($subs); BODY',
  '$subs = $user->subscriptions(); while ($s = array_shift($subs)) { BODY }',
  '$subs = $user->subscriptions(); for ($i = 0; $i < count($subs); $i++) { $s = $subs[$i]; BODY }',
  "$subs = $user->subscriptions(); usort($subs, fn ($a, $b) => strcmp($b['status'], $a['status'])); foreach ($subs as $s) { BODY }",
  '[$s] = $user->subscriptions(); BODY',
  'list(, $s) = $user->subscriptions(); BODY',
  '$s = $user ? $user->subscriptions()[1] : null; BODY',
  '$s = match (true) { default => $user->subscriptions()[1] }; BODY',
  '$s = array_reduce($user->subscriptions(), fn ($best, $one) => $best ?? $one); BODY',
  "$by = []; foreach ($user->subscriptions() as $one) { $by[$one['id']] = $one; } $s = $by['sub_1']; BODY",
  "$by = array_column($user->subscriptions(), null, 'id'); $s = $by['sub_1']; BODY",
  "$s = null; foreach ($user->subscriptions() as $one) { if ($one['status'] === 'trialing') { $s = $one; } } if ($s) { BODY }",
  "$data = ['sub' => $user->subscriptions()[0]]; $s = $data['sub']; BODY",
  "extract(['s' => $user->subscriptions()[0]]); BODY",
  '$o = new stdClass; $o->s = $user->subscriptions()[0]; $s = $o->s; BODY',
  'array_map(function ($s) { BODY }, $user->subscriptions());',
  '$subs = $user->subscriptions(); array_walk($subs, function ($s, $i) { BODY });',
  '$show = function ($s) { BODY }; foreach ($user->subscriptions() as $x) { $show($x); }',
  '$show = function ($s) { BODY }; array_map($show, $user->subscriptions()); $show(v1_array());',
  'foreach ($user->subscriptions() as $x) { (function () use ($x) { $s = $x; BODY })(); }',
  'function fn_show($s) { BODY } foreach ($user->subscriptions() as $x) { fn_show($x); }',
  'function fn_show($s) { BODY } array_map("fn_show", $user->subscriptions());',
  'function fn_each($user) { foreach ($user->subscriptions() as $one) { yield $one; } } foreach (fn_each($user) as $s) { BODY }',
  'function fn_first($user) { return $user->subscriptions()[0]; } $s = fn_first($user); BODY',
  'function fn_first($user): ?array { return $user->subscriptions()[0] ?? null; } $s = fn_first($user); BODY',
]

/** What is done with one of them. */
const bodies: readonly string[] = [
  "echo $s['status'], ';';",
  'echo $s["status"] . "/";',
  'echo "$s[status] ";',
  "echo \"{$s['items']['data'][0]['price']['id']} \";",
  "echo <<<A\n  {$s['customer']}: $s[id]\n  A;\n",
  "?><b title=\"<?= $s['status'] ?>\"><?= $s['id'] ?></b><?php ",
  "echo $s['items']['data'][0]['price']['id'];",
  "echo $s['items']['data'][0]['plan']['id'];",
  "echo number_format($s['items']['data'][0]['price']['unit_amount'] / 100, 2);",
  "echo $s['items']['data'][0]['price']['recurring']['interval'];",
  "echo $s['items']['data'][1]['price']['id'] ?? 'one';",
  "echo $s['items']['data'][0]['quantity'] * 2;",
  "echo count($s['items']['data']);",
  "foreach ($s['items']['data'] as $item) { echo $item['price']['id']; }",
  "foreach ($s['items']['data'] as $item) { echo $item['quantity']; }",
  "$item = $s['items']['data'][0]; echo $item['price']['id'];",
  "$price = $s['items']['data'][0]['price']; echo $price['id'];",
  "echo array_sum(array_map(fn ($i) => $i['quantity'], $s['items']['data']));",
  "echo array_column($s['items']['data'], 'id')[0];",
  "echo $s['plan']['id'];",
  "echo $s['metadata']['seats'];",
  "echo $s['metadata']['none'] ?? '-';",
  "echo $s['cancel_at_period_end'] ? 'ends' : 'goes on';",
  "var_export($s['cancel_at_period_end']);",
  "echo isset($s['trial_end']) ? 'trial' : 'none';",
  "echo empty($s['trial_end']) ? 'none' : 'trial';",
  "echo $s['trial_end'] === null ? 'none' : 'trial';",
  "echo $s['trial_end'] ?? 'none';",
  "echo date('Y', $s['trial_end'] ?? 0);",
  "echo $s['trial_end'] > 5 ? 'late' : 'early';",
  "echo is_int($s['trial_end']) ? 'int' : 'none';",
  "echo date('Y-m-d', $s['current_period_end']);",
  "echo $s['created'] + 1;",
  "echo $s['currency'];",
  "echo strtoupper($s['currency']);",
  "echo $s['currency'] === 'eur' ? 'euro' : 'other';",
  "echo isset($s['nope']) ? 'y' : 'n';",
  "echo $s['nope'] ?? 'n';",
  "switch ($s['status']) { case 'active': echo 'a'; break; default: echo 'b'; }",
  "echo match ($s['status']) { 'active', 'trialing' => 'in', default => 'out' };",
  "echo in_array($s['status'], ['active', 'trialing'], true) ? 'in' : 'out';",
  "echo @$s['status'];",
  "echo $s['id'][0];",
  "echo strlen($s['id']), $s['status'] <=> 'b';",
  "printf('%s %d', $s['customer'], $s['items']['data'][0]['quantity']);",
  "$k = 'status'; echo $s[$k];",
  "foreach (['status', 'id'] as $f) { echo $s[$f]; }",
  "$name = 's'; echo $$name['status'];",
  "echo compact('s')['s']['status'];",
  "['status' => $st] = $s; echo $st;",
  "list('status' => $st) = $s; echo $st;",
  'extract($s); echo $status;',
  'echo count($s);',
  "echo is_array($s) ? 'array' : 'no';",
  'echo gettype($s);',
  "echo array_key_exists('status', $s) ? 'y' : 'n';",
  "echo implode(',', array_keys($s));",
  'foreach ($s as $k => $v) { echo $k; }',
  'echo json_encode($s);',
  'echo md5(serialize($s));',
  'print_r($s);',
  'var_dump($s);',
  "echo array_merge($s, ['x' => 1])['status'];",
  "echo ([...$s])['status'];",
  "echo ($s + ['x' => 1])['status'];",
  "echo array_intersect_key($s, ['status' => 1])['status'];",
  'echo current($s);',
  '$o = (object) $s; echo $o->status;',
  "$o = (array) $s; echo $o['status'];",
  "echo array_column([$s], 'status')[0];",
  "echo array_column([$s], 'customer')[0];",
  "echo array_map(fn ($x) => $x['status'], [$s])[0];",
  "echo $s ? 'y' : 'n', !$s ? 'n' : 'y', $s === null ? 'n' : 'y';",
  "echo $s == null ? 'n' : 'y', empty($s) ? 'n' : 'y', isset($s) ? 'y' : 'n';",
  "$t = $s; echo $t['status'];",
  "$t = $s; $t['status'] = 'q'; echo $s['status'];",
  "$s['status'] = 'q'; echo $s['status'];",
  "unset($s['status']); echo isset($s['status']) ? 'y' : 'n';",
  "$s['items']['data'][0]['quantity']++; echo $s['items']['data'][0]['quantity'];",
  "$q = &$s['status']; $q = 'x'; echo $s['status'];",
  "echo (fn () => $s['status'])();",
  "$f = fn ($x) => $x['status']; echo $f($s);",
  "$f = fn (array $x) => $x['status']; echo $f($s);",
  "echo call_user_func(fn ($x) => $x['status'], $s);",
  "echo call_user_func_array(fn ($x) => $x['id'], [$s]);",
  'echo fn_known($s);',
  "$all[] = $s; echo $all[0]['status'];",
  "$all = ['one' => $s]; echo $all['one']['items']['data'][0]['price']['id'];",
  "echo json_decode(json_encode($s), true)['status'];",
  'echo json_decode(json_encode($s))->status;',
  "echo $s['status'] . $page['status'];",
  '$event = json_decode(\'{"data":{"object":{"status":"raw","items":{"data":[{"price":{"id":"price_raw"}}]}}}}\', true); $s = $event[\'data\'][\'object\']; echo $s[\'status\'], $s[\'items\'][\'data\'][0][\'price\'][\'id\'];',
  "$raw = v1_array(); echo $raw['items']['data'][0]['price']['id'], $s['status'];",
]

/** What is done with the list. */
const lists: readonly string[] = [
  "echo implode(',', array_column($user->subscriptions(), 'status'));",
  "echo implode(',', array_column($user->subscriptions(), 'customer'));",
  "echo json_encode(array_column($user->subscriptions(), 'status', 'id'));",
  "echo implode(',', array_map(fn ($s) => $s['status'], $user->subscriptions()));",
  "echo implode(',', array_map(fn ($s) => $s['items']['data'][0]['price']['id'], $user->subscriptions()));",
  'echo count($user->subscriptions());',
  "echo empty($user->subscriptions()) ? 'none' : 'some';",
  "echo count(array_filter($user->subscriptions(), 'is_array'));",
  "echo count(array_filter($user->subscriptions(), fn ($s) => isset($s['trial_end'])));",
  'echo json_encode($user->subscriptions());',
  '$n = 0; $subs = $user->subscriptions(); array_walk_recursive($subs, function ($v) use (&$n) { $n++; }); echo $n;',
  "echo count(array_merge(...array_map(fn ($s) => $s['items']['data'], $user->subscriptions())));",
  "$subs = $user->subscriptions(); array_multisort(array_column($subs, 'id'), SORT_DESC, $subs); echo $subs[0]['id'];",
  "echo max(array_map(fn ($s) => $s['items']['data'][0]['quantity'], $user->subscriptions()));",
  "foreach ($user->subscriptions() as ['status' => $st, 'id' => $id]) { echo $st, $id; }",
  "foreach ($user->subscriptions() as ['customer' => $c]) { echo $c; }",
  "[['items' => ['data' => [$first]]]] = $user->subscriptions(); echo $first['id'];",
  "[0 => ['status' => $st]] = $user->subscriptions(); echo $st;",
  "echo $user->subscriptions()[0]['status'] ?? 'none';",
  "echo $user->subscriptions()[9]['status'] ?? 'none';",
  "echo $user?->subscriptions()[0]['items']['data'][0]['price']['id'];",
  "echo current(array_filter($user->subscriptions(), fn ($s) => $s['id'] === 'sub_2'))['status'];",
  "echo in_array('price_1', array_map(fn ($s) => $s['items']['data'][0]['price']['id'], $user->subscriptions())) ? 'y' : 'n';",
  "$has = false; foreach ($user->subscriptions() as $s) { if ($s['items']['data'][0]['price']['id'] === 'price_1') { $has = true; } } var_export($has);",
  "$has = false; foreach ($user->subscriptions() as $s) { if ($s['items']['data'][0]['price']['id'] === 'price_1' && $s['status'] === 'active') { $has = true; } } var_export($has);",
  "$own = null; foreach (kirby()->user()->subscriptions() as $s) { if ($s['items']['data'][0]['price']['id'] === $wanted) { $own = $s; break; } } echo $own['status'] ?? 'none';",
  "$own = null; foreach (kirby()->user()->subscriptions() as $s) { if ($s['items']['data'][0]['price']['id'] === 'price_9') { $own = $s; break; } } echo $own['status'] ?? 'none';",
  "$own = null; foreach (kirby()->user()->subscriptions() as $s) { if ($s['items']['data'][0]['price']['id'] === 'price_0') { $own = $s; } } echo $own['id'], $s['id'];",
  "$seen = 0; $own = null; foreach (kirby()->user()->subscriptions() as $s) { $seen++; if ($s['items']['data'][0]['price']['id'] === 'price_1') { $own = $s; break; } } echo $seen, $own['status'];",
  "foreach (kirby()->user()->subscriptions() as $s) { if ($s['items']['data'][0]['price']['id'] !== 'price_1') { continue; } echo $s['status']; break; }",
  "usort($GLOBALS['none'], fn ($a, $b) => $a['id'] <=> $b['id']); echo count($GLOBALS['none']);",
  "$subs = $user->subscriptions(); sort($subs); echo $subs[0]['id'];",
  "echo array_search('trialing', array_column($user->subscriptions(), 'status'));",
  "echo count(array_unique(array_map(fn ($s) => $s['status'], $user->subscriptions())));",
  "$group = []; foreach ($user->subscriptions() as $s) { $group[$s['status']][] = $s; } echo $group['active'][0]['id'];",
  "$rows = []; foreach ($user->subscriptions() as $s) { $rows[] = ['id' => $s['id'], 'price' => $s['items']['data'][0]['price']['id']]; } echo $rows[0]['price'], $rows[1]['id'];",
  "echo v1_array()['items']['data'][0]['price']['id'];",
]

const known = "function fn_known($one) { return $one['status']; } "

/**
 * Template idioms: every way to one subscription with some of what is done with it, and what is done with the
 * list. Each is a whole file, and what it names itself begins with `fn_`.
 */
export function phpIdioms(): readonly string[] {
  const each = sources.flatMap((source, i) =>
    // All of them with a plain loop and a plain variable; a quarter of them, by turns, with each of the others.
    bodies
      .filter((_, j) => i === 0 || i === 9 || (i + j) % 4 === 0)
      // A function does not see the page.
      .filter((body) => !body.includes('$page') || !/function/.test(source))
      .map((body) => (body.includes('fn_known') ? known : '') + source.replace('BODY', () => body)),
  )
  return [...each, ...lists].map((code) => `<?php\n${code}\n`)
}

/** What is done with a subscription in another file than the one that has it: files by name, of which `main` is run. */
export function phpCrossings(): Record<string, string>[] {
  return (
    bodies
      // Another file sees neither the page nor who is logged in.
      .filter((body) => !/\$(?:page|user|plans|kirby|priceId|wanted)\b/.test(body))
      .flatMap((body, i) =>
        // Half of them, by turns.
        crossings.filter((_, j) => (i + j) % 2 === 0).map((files) => withBody(files, body)),
      )
  )
}

const crossings: readonly Record<string, string>[] = [
  { main: "foreach ($user->subscriptions() as $x) { snippet('card', ['s' => $x]); }", card: 'BODY' },
  { main: "$s = $user->subscriptions()[0]; snippet('card', compact('s'));", card: 'BODY' },
  {
    main: "snippet('list', ['subs' => $user->subscriptions()]);",
    list: 'foreach ($subs as $s) { BODY }',
  },
  { main: "snippet('list', ['all' => array_reverse($user->subscriptions())]);", list: '[$s] = $all; BODY' },
  {
    main: "foreach ($user->subscriptions() as $x) { snippet('outer', ['one' => $x]); }",
    outer: "snippet('card', ['s' => $one]);",
    card: 'BODY',
  },
  {
    main: "load('helpers'); foreach ($user->subscriptions() as $x) { fn_card($x); }",
    helpers: 'function fn_card($s) { BODY }',
  },
  {
    main: "$controller = load('controller'); snippet('account', $controller(kirby()));",
    controller: "return fn ($kirby) => ['s' => $kirby->user()->subscriptions()[1], 'title' => 'x'];",
    account: 'BODY',
  },
]

function withBody(files: Record<string, string>, body: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name,
      `<?php ${name === 'main' && body.includes('fn_known') ? known : ''}${text.replace('BODY', () => body)}`,
    ]),
  )
}
