import type { Chance } from '../chance.ts'

/** Where the list comes from: declarations, and the expression that gives it. */
const sources: readonly (readonly [string, string])[] = [
  ['', '$user->subscriptions()'],
  ['', 'kirby()->user()->subscriptions()'],
  ['', '$user?->subscriptions() ?? []'],
  ['$mine = fn ($u) => $u->subscriptions();', '$mine($user)'],
  ['$mine = function ($u) { $all = $u->subscriptions(); return $all; };', '$mine($user)'],
  ['function fn_mine($u) { return $u->subscriptions(); }', 'fn_mine($user)'],
  ['class fn_repo { static function mine($u) { return $u->subscriptions(); } }', 'fn_repo::mine($user)'],
  [
    'class fn_repo { function mine($u) { return $u->subscriptions(); } } $repo = new fn_repo;',
    '$repo->mine($user)',
  ],
  ['function fn_each($u) { yield from $u->subscriptions(); }', 'iterator_to_array(fn_each($user))'],
  ['function fn_each($u) { foreach ($u->subscriptions() as $x) { yield $x; } }', 'fn_each($user)'],
  ['', 'array_merge(...array_map(fn ($u) => $u->subscriptions(), [$user]))'],
  ['$all = $user->subscriptions(...);', '$all()'],
  ['', "call_user_func([$user, 'subscriptions'])"],
  ["$name = 'subscriptions';", '$user->$name()'],
  ['function fn_fill(&$out, $u) { $out = $u->subscriptions(); } fn_fill($filled, $user);', '$filled'],
  ['$all = $user->subscriptions();', '$all'],
  ['$all = $user->subscriptions(); $same = &$all;', '$same'],
  [
    'global $fn_all; $fn_all = $user->subscriptions(); function fn_shared() { global $fn_all; return $fn_all; }',
    'fn_shared()',
  ],
  ['$_SESSION["all"] = $user->subscriptions();', '$_SESSION["all"]'],
  ['$all = []; foreach ($user->subscriptions() as $x) { $all[] = $x; }', '$all'],
  ["$all = []; foreach ($user->subscriptions() as $x) { $all[$x['id']] = $x; }", '$all'],
]

/** The same of purchases, maps from the provider. */
const purchaseSources: readonly (readonly [string, string])[] = [
  ['', 'membership()->provider()->purchases()'],
  ['$all = membership()->provider()->purchases();', '$all'],
  ['$mine = fn () => membership()->provider()->purchases();', '$mine()'],
  ['function fn_mine() { return membership()->provider()->purchases(); }', 'fn_mine()'],
  ['$all = membership()->provider()->purchases(...);', '$all()'],
  ['', "call_user_func([membership()->provider(), 'purchases'])"],
  ["$name = 'purchases';", 'membership()->provider()->$name()'],
  ['$all = []; foreach (membership()->provider()->purchases() as $x) { $all[] = $x; }', '$all'],
  ["$all = []; foreach (membership()->provider()->purchases() as $x) { $all[$x['price']] = $x; }", '$all'],
  ['$both = array_merge($user->subscriptions(), membership()->provider()->purchases());', '$both'],
]

/** The ids of prices that were bought, in the provider's data. */
const priceSources: readonly (readonly [string, string])[] = [
  ['', "membership()->provider()->getUserData()['purchases']"],
  ['', "($user->stripe()->yaml()['purchases'] ?? [])"],
  ['$data = membership()->provider()->getUserData();', "$data['purchases']"],
  ['', 'kirby()->user()->content()->get("stripe")->toData("yaml")["purchases"]'],
  ['function fn_data() { return membership()->provider()->getUserData(); }', "fn_data()['purchases']"],
  ["$key = 'purchases'; $data = membership()->provider()->getUserData();", '$data[$key]'],
  ["['purchases' => $all] = membership()->provider()->getUserData();", '$all'],
  [
    "foreach (membership()->provider()->getUserData() as $k => $v) { if ($k === 'purchases') $all = $v; }",
    '$all',
  ],
  ['extract(membership()->provider()->getUserData());', '$purchases'],
  ['$none = null; $data = $none ?? membership()->provider()->getUserData();', "$data['purchases']"],
  [
    "$data = compact('user'); $data = array_merge(membership()->provider()->getUserData(), []);",
    "$data['purchases']",
  ],
  ['$o = new stdClass; $o->data = membership()->provider()->getUserData();', "$o->data['purchases']"],
]

/** What the list goes through before one of it is `$s`; L is the list, BODY what is done with `$s`. */
const containers: readonly string[] = [
  'foreach (L as $s) { BODY }',
  'foreach (L as $i => $s): BODY endforeach;',
  'foreach (array_filter([...L], fn ($x) => true) as $s) { BODY }',
  'foreach (array_reverse([...L]) as $s) { BODY }',
  'foreach (array_chunk([...L], 1) as [$s]) { BODY }',
  'foreach (array_map(null, [1, 2, 3], [...L]) as [$l, $s]) { echo $l; BODY }',
  'foreach (array_map(fn ($x) => $x, [...L]) as $s) { BODY }',
  "foreach (array_map(fn ($x) => ['sub' => $x], [...L]) as $row) { $s = $row['sub']; BODY }",
  '$list = [...L]; $s = $list[0]; BODY',
  '$list = [...L]; $s = end($list); BODY',
  '$list = [...L]; [$s] = $list; BODY',
  '$list = [...L]; while ($s = array_shift($list)) { BODY }',
  'array_map(function ($s) { BODY }, [...L]);',
  '$list = [...L]; array_walk($list, function ($s) { BODY });',
  '$show = function ($s) { BODY }; foreach (L as $x) { $show($x); }',
  'function fn_show($s) { BODY } foreach (L as $x) { fn_show($x); }',
  'function fn_show($s) { BODY } array_map("fn_show", [...L]);',
  'function fn_show($s) { BODY } array_map(fn_show(...), [...L]);',
  'function fn_show($s) { BODY } foreach (L as $x) { call_user_func("fn_show", $x); }',
  'class fn_view { private $raw; function __construct(array $raw) { $this->raw = $raw; } function show() { $s = $this->raw; BODY } } foreach (L as $x) { (new fn_view($x))->show(); }',
  'class fn_view { function __construct(private $raw) {} function show() { $s = $this->raw; BODY } } foreach (L as $x) { (new fn_view($x))->show(); }',
  'class fn_view { public ?array $raw = null; } foreach (L as $x) { $view = new fn_view; $view->raw = $x; $s = $view->raw; BODY }',
  'class fn_view { static $raw; } foreach (L as $x) { fn_view::$raw = $x; $s = fn_view::$raw; BODY }',
  '$o = new stdClass; foreach (L as $x) { $o->s = $x; $s = $o->s; BODY }',
  "$data = ['sub' => [...L][0]]; $s = $data['sub']; BODY",
  "extract(['s' => [...L][0]]); BODY",
  '$s = json_decode(json_encode([...L]), true)[0]; BODY',
  '$s = unserialize(serialize([...L]))[0]; BODY',
  '$s = null; foreach (L as $x) { $s = $s ?? $x; } if ($s) { BODY }',
  '$s = array_reduce([...L], fn ($best, $x) => $best ?? $x); BODY',
  'function fn_get() { return func_get_args(); } foreach (fn_get(...[...L]) as $s) { BODY }',
  'function fn_one() { $s = func_get_arg(0); BODY } foreach (L as $x) { fn_one($x); }',
  'class fn_list { function each($s) { BODY } function all($l) { array_walk($l, [$this, "each"]); } } (new fn_list)->all([...L]);',
  'class fn_list { static function each($s) { BODY } static function all($l) { array_map([self::class, "each"], $l); } } fn_list::all([...L]);',
  'class fn_list { static function each($s) { BODY } } array_map("fn_list::each", [...L]);',
  'class fn_list { static function each($s) { BODY } } array_map(["fn_list", "each"], [...L]);',
  'class fn_list { static function each($s) { BODY } } array_map(fn_list::class . "::each", [...L]);',
  'class fn_list { function __invoke($s) { BODY } } array_map(new fn_list, [...L]);',
  'array_map(true ? function ($s) { BODY } : null, [...L]);',
  'array_map(match (1) { 1 => function ($s) { BODY }, default => null }, [...L]);',
  'array_map($each = function ($s) { BODY }, [...L]);',
  'function fn_show($s) { BODY } $each = "fn_show"; array_map($each, [...L]);',
  '$all = ["each" => function ($s) { BODY }]; array_map($all["each"], [...L]);',
  '$make = fn () => function ($s) { BODY }; array_map($make(), [...L]);',
  '$none = null; $each = function ($s) { BODY }; array_map($none ?? $each, [...L]);',
  '$it = new ArrayIterator([...L]); foreach ($it as $s) { BODY }',
  'foreach ([[...L], [...L]] as [$s]) { BODY }',
  "foreach (L as $x) { foreach (['a' => $x] as $k => $s) { BODY } }",
  'foreach (L as &$s) { BODY } unset($s);',
  'switch (1) { default: $list = [...L]; } foreach ($list as $s) { BODY }',
  '$s = (fn () => [...L][1])(); BODY',
  'try { throw new Exception; } catch (Exception $e) { foreach (L as $s) { BODY } }',
]

/** What is read of it; none is more than an expression. */
const accesses: readonly string[] = [
  "$s['status']",
  '$s["id"]',
  "$s['items']['data'][0]['price']['id']",
  "$s['items']['data'][0]['plan']['id']",
  "$s['items']['data'][0]['quantity']",
  "$s['items']['data'][0]['price']['unit_amount']",
  "$s['customer']",
  "$s['currency']",
  "$s['current_period_end']",
  "$s['trial_end']",
  "$s['created']",
  "$s['metadata']['seats']",
  "$s['plan']['id']",
  "($s['nope'] ?? 'none')",
  "($s['status'] ?? 'none')",
  "(isset($s['trial_end']) ? 'y' : 'n')",
  "(empty($s['customer']) ? 'y' : 'n')",
  "count($s['items']['data'])",
  "array_sum(array_map(fn ($i) => $i['quantity'], $s['items']['data']))",
  "$s[['status', 'id'][0]]",
  "(array_key_exists('status', $s) ? 'y' : 'n')",
  "(is_array($s) ? 'y' : 'n')",
  "array_column([$s], 'customer')[0]",
  "([...$s])['status']",
  "($s + ['x' => 1])['status']",
  "array_merge($s, [])['status']",
  "((array) $s)['status']",
  "((fn ($x) => $x['status'])($s))",
  "(compact('s')['s']['id'])",
  '(count($s) > 3)',
  "($s ? 'y' : 'n')",
  "($s == $s ? 'y' : 'n')",
  "implode(',', array_slice(array_keys($s), 0, 2))",
  'json_encode($s)',
  'md5(serialize($s))',
]

/** What is read of a purchase that is a map. */
const purchaseAccesses: readonly string[] = [
  "$s['product']",
  "($s ? 'y' : 'n')",
  "$s['price']",
  "$s['status']",
  "(empty($s) ? 'y' : 'n')",
  "$s['id']",
  "$s['currency']",
  "$s['metadata']['seat']",
  "($s['nope'] ?? 'none')",
  "(isset($s['price']) ? 'y' : 'n')",
  '"$s[product]"',
  "(is_array($s) ? 'y' : 'n')",
  '((fn ($x) => $x)($s))["id"]',
  "((fn (array $x) => 'map')($s))",
  'count($s)',
  'json_encode($s)',
  "(is_null($s) ? 'y' : 'n')",
  "array_column([$s], 'price')[0]",
  "implode(',', array_keys((array) $s))",
]

/** What is done with the id of a price. */
const priceAccesses: readonly string[] = [
  '$s',
  "($s ? 'y' : 'n')",
  "($s === 'price_1' ? 'y' : 'n')",
  "in_array($s, ['price_1'])",
  "(isset($s) ? 'y' : 'n')",
  '"{$s}"',
  'strtoupper($s)',
  '$s[0]',
  "(is_string($s) ? 'y' : 'n')",
  "(['price_1' => 'One'][$s] ?? 'none')",
  'implode(array_keys([$s => 1]))',
  '((fn ($x) => $x)($s))',
  "((fn (string $x) => 'text')($s))",
  "(match ($s) { 'price_1' => 'one', default => 'other' })",
  'json_encode($s)',
]

/** What becomes of the value V. */
const sinks: readonly string[] = [
  'echo V, ";";',
  'echo "<" . V . ">";',
  '?><b><?= V ?></b><?php ',
  '$v = V; echo $v, ",";',
  'echo json_encode(V);',
  'echo strtoupper((string) V);',
  'echo in_array(V, ["active", "price_1", "y"], true) ? 1 : 0;',
  'echo match (true) { V === "active", V === "eur" => "a", default => "b" };',
  'if (V) { echo "yes"; }',
  'echo esc(V);',
  '$out = []; $out[] = V; echo implode("|", $out);',
  'printf("%s ", V);',
]

/** What is done with the list as a whole. */
const wholes: readonly string[] = [
  'echo count([...L]);',
  'echo json_encode([...L]);',
  'foreach (L as ["status" => $st]) { echo $st; }',
  'echo implode(",", array_column([...L], "status"));',
  'echo implode(",", array_column([...L], "customer"));',
  'echo implode(",", array_map(fn ($s) => $s["status"], [...L]));',
  'echo empty([...L]) ? "none" : "some";',
  'print_r([...L]);',
  '$list = [...L]; usort($list, fn ($a, $b) => strcmp($b["status"], $a["status"])); echo $list[0]["id"];',
  '$group = []; foreach (L as $s) { $group[$s["status"]][] = $s; } echo count($group), $group["active"][0]["id"];',
  'echo max(array_map(fn ($s) => $s["items"]["data"][0]["quantity"], [...L]));',
  '$n = 0; foreach (L as $s) { $n += $s["items"]["data"][0]["quantity"]; } echo $n;',
  '$list = [...L]; sort($list); echo $list[0]["id"];',
  'class fn_c { static function by($a, $b) { return strcmp($b["status"], $a["status"]); } } $list = [...L]; usort($list, ["fn_c", "by"]); echo count($list);',
  '$list = [...L]; usort($list, true ? fn ($a, $b) => strcmp($b["id"], $a["id"]) : fn ($a, $b) => 0); echo count($list);',
]

/** What is done with purchases as a whole. */
const eitherWholes: readonly string[] = [
  'echo count(L);',
  'echo empty(L) ? "none" : "some";',
  'foreach (L as $i => $s) { echo $i; }',
  'echo count(array_unique(L, SORT_REGULAR));',
  'print_r(L);',
  'echo json_encode(L);',
  'function fn_all($all) { foreach ($all as $s) { echo "x"; } } fn_all(L);',
  'function fn_all(array $all) { echo count($all); } fn_all(L);',
  '[$a, $b] = L; echo $a ? "y" : "n";',
]
const purchaseWholes: readonly string[] = [
  ...eitherWholes,
  'echo implode(",", array_column(L, "product"));',
  'echo count(array_filter(L, fn ($s) => $s["price"] === "price_1"));',
  'function fn_first(array $all): array { return $all[0]; } echo empty(fn_first(L)) ? 1 : 2;',
  'function fn_any($one) { foreach ($one as $k => $v) { echo $k; } } foreach (L as $s) { fn_any($s); }',
  'class fn_v { private array $one; function __construct($s) { $this->one = $s; } } foreach (L as $s) { new fn_v($s); } echo "made";',
  'foreach (L as ["product" => $p]) { echo $p; }',
]
const priceWholes: readonly string[] = [
  ...eitherWholes,
  'echo in_array("price_1", L) ? "y" : "n";',
  'echo isset(L["price_1"]) ? "y" : "n";',
  'echo implode(",", L);',
  'echo count(array_filter(L, fn ($s) => $s === "price_1"));',
  'function fn_first(array $all): string { return $all[0]; } echo empty(fn_first(L)) ? 1 : 2;',
  'class fn_v { private string $one; function __construct($s) { $this->one = $s; } } foreach (L as $s) { new fn_v($s); } echo "made";',
  '$list = L; sort($list); echo count($list);',
  '$list = L; usort($list, fn ($a, $b) => 0); echo count($list);',
  '$has = array_fill_keys(L, true); echo isset($has["price_1"]) ? "y" : "n";',
  '$has = array_flip(L); echo isset($has["price_1"]) ? "y" : "n";',
  'echo (bool) array_intersect(["price_1"], L) ? "y" : "n";',
]

/** A random program over the idioms: whole files, of which nothing is shared but the member. */
export function phpProgram(chance: Chance): string {
  const [own, ownAccesses, ownWholes] = chance.one(0.6)
    ? ([sources, accesses, wholes] as const)
    : chance.one(0.5)
      ? ([purchaseSources, purchaseAccesses, purchaseWholes] as const)
      : ([priceSources, priceAccesses, priceWholes] as const)
  const [begin, list] = pick(chance, own)
  const access = () => pick(chance, ownAccesses)
  const body = () => pick(chance, sinks).replaceAll('V', access)
  const main = chance.one(0.15)
    ? pick(chance, ownWholes)
    : pick(chance, containers).replace('BODY', () => (chance.one(0.4) ? `${body()} ${body()}` : body()))
  return `<?php\n${begin}\n${main.replaceAll(/\bL\b/g, () => list)}\n`
}

// Half of them are of the plain kind that stands first, so that whole programs of it are drawn, too.
function pick<T>(chance: Chance, all: readonly T[]): T {
  return chance.of(chance.one(0.5) ? all.slice(0, 5) : all)
}
