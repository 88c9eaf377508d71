import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { Eta } from 'eta'
import fc from 'fast-check'
import { applyEdits, inOrder, invertEdits } from '../../src/migrate/edits.ts'
import { parsePhp } from '../../src/migrate/php.ts'
import { parseScript } from '../../src/migrate/script.ts'
import { rewriteTemplate } from '../../src/migrate/templates/index.ts'
import { toSubscriptionData } from '../../src/providers/stripe/subscription.ts'
import { settings } from '../support/converge.ts'
import { payload } from '../support/payload.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }
function rewrite(text: string, file: string) {
  return rewriteTemplate({ file, text, encoding: 'utf8' }, facts)
}

const hasPhp = spawnSync('php', ['-v']).status === 0

/** The same piece in both versions. */
interface Pair {
  readonly v1: string
  readonly v2: string
}
function pair(v1: string, v2: string = v1): Pair {
  return { v1, v2 }
}
function join2(pairs: readonly Pair[], between = '') {
  return pair(pairs.map(({ v1 }) => v1).join(between), pairs.map(({ v2 }) => v2).join(between))
}
function put(text: string, inner: Pair) {
  return pair(
    text.replace('@', () => inner.v1),
    text.replace('@', () => inner.v2),
  )
}

// The table, once more, by hand: path in Stripe's subscription → property.
const same: [string, string][] = [
  ['items.data.0.price.id', 'price_id'],
  ['items.data.0.plan.id', 'price_id'],
  ['items.data.0.price.product', 'product_id'],
  ['items.data.0.price.unit_amount', 'unit_amount'],
  ['items.data.0.price.recurring.interval', 'interval'],
  ['items.data.0.price.recurring.interval_count', 'interval_count'],
  ['items.data.0.quantity', 'quantity'],
  ['id', 'id'],
  ['status', 'status'],
  ['customer', 'customer_id'],
]

function phpKey(key: string, quote: string) {
  return /^\d+$/.test(key) ? `[${key}]` : `[${quote}${key}${quote}]`
}
const space = fc.constantFrom('', '', '', ' ', '\n  ', '\t')

/** A field of `$s`, in either kind of quotes and with blanks between the steps. */
function phpField(variable: string, quotes: readonly string[]) {
  return fc
    .tuple(
      fc.constantFrom(...same),
      fc.constantFrom(...quotes),
      fc.array(space, { minLength: 9, maxLength: 9 }),
    )
    .map(([[path, property], quote, spaces]) =>
      pair(
        variable +
          path
            .split('.')
            .map((key, i) => (i === 0 ? '' : spaces[i]) + phpKey(key, quote))
            .join(''),
        `${variable}->${property}`,
      ),
    )
}

const noise = fc.constantFrom(
  "// $s['status'] and $s['items']['data'][0]['price']['id']\n",
  "/* purchases: $s['status'] ' \" */",
  'echo \'$s["status"] items data price\';',
  'echo "\\$s[status] \\{$s";'.replace('{$s', '{'),
  "echo $page['items']['data'][1]['price']['id'] ?? '';",
  'echo 1;',
)

/** A statement about `$s`. */
const phpStatement: fc.Arbitrary<Pair> = fc.oneof(
  noise.map((text) => pair(text)),
  phpField('$s', ["'", '"']).map((field) => put('echo @, ";";', field)),
  phpField('$s', ["'"]).map((field) => put('echo "<{@}>\\n";', field)),
  phpField('$s', ["'", '"']).map((field) => put("echo @ ?? 'none', ',';", field)),
  phpField('$s', ["'", '"']).map((field) => put("if (isset(@)) { echo 'y'; }", field)),
  phpField('$s', ["'", '"']).map((field) => put("echo (@ === 'active') ? 1 : 2;", field)),
  phpField('$s', ["'", '"']).map((field) =>
    put("echo implode(',', array_map(fn ($x) => $x . @, [1, 2]));", field),
  ),
  phpField('$t', ["'", '"']).map((field) =>
    put("foreach (kirby()->user()->subscriptions() as $t) { echo @, '/'; }", field),
  ),
  fc.constant(pair('echo "$s[status]-$s[id]x";', 'echo "$s->status-{$s->id}x";')),
  phpField('$s', ["'", '"']).map((field) => put('?><b title="<?= @ ?>">é $s[\'status\']</b><?php ', field)),
)

const phpLoops: fc.Arbitrary<(body: Pair) => Pair> = fc.constantFrom(
  (body: Pair) => put('foreach ($user->subscriptions() as $s) { @ }', body),
  (body: Pair) => put('foreach ($user->subscriptions() as $i => $s): @ endforeach;', body),
  (body: Pair) =>
    put(
      '?>\n<ul>\n<?php foreach ($user->subscriptions() as $s): ?>\n<li>é<?php @ ?></li>\n<?php endforeach ?>\n<?php ',
      body,
    ),
  (body: Pair) => put('array_map(function ($s) { @ }, $user->subscriptions());', body),
  (body: Pair) => put('$s = $user->subscriptions()[0]; @', body),
  (body: Pair) =>
    put(
      'function show($user, $page) { foreach ($user->subscriptions() as $s) { @ } } show($user, $page);',
      body,
    ),
)

const wanted: fc.Arbitrary<Pair> = fc
  .tuple(
    fc.constantFrom("'price_0'", "'price_9'", '$wanted'),
    fc.boolean(),
    fc.boolean(),
    fc.constantFrom(' ', '\n', '\n\n  '),
  )
  .map(([price, isWhether, isTurned, gap]) => {
    const path = "$x['items']['data'][0]['price']['id']"
    const test = isTurned ? `${price} === ${path}` : `${path} === ${price}`
    const found = isWhether ? 'true' : '$x'
    const after = test.replace("['items']['data'][0]['price']['id']", '->price_id')
    // One variable for one kind of thing: what it holds is told from all that is written to it.
    const to = isWhether ? '$has' : '$found'
    const tail = isWhether ? 'var_export($has);' : "echo $found @ ?? 'none';"
    return pair(
      `${to} = ${isWhether ? 'false' : 'null'};${gap}foreach (kirby()->user()->subscriptions() as $x) {${gap}if (${test}) { ${to} = ${found};${gap}break; }${gap}} ${tail.replace(' @', "['status']")}`,
      `${to} = ${isWhether ? 'false' : 'null'};${gap}foreach (kirby()->user()->subscriptions() as $x) {${gap}if (${after}) { ${to} = ${found};${gap}break; }${gap}} ${tail.replace(' @', '->status')}`,
    )
  })

const phpProgram: fc.Arbitrary<Pair> = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc
          .tuple(phpLoops, fc.array(phpStatement, { maxLength: 4 }))
          .map(([loop, body]) => loop(join2(body, ' '))),
      },
      { weight: 1, arbitrary: wanted },
    ),
    // A function can only be declared once.
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => join2(parts, '\n'))
  .filter(({ v1 }) => v1.split('function show').length < 3)
  .map((program) => put("<h1>$s['status']</h1>\n<?php\n@\n", program))

test('PHP around the known shapes gives exactly the expected text, which is valid PHP', (t) => {
  fc.assert(
    fc.property(phpProgram, ({ v1, v2 }) => {
      const { edits } = rewrite(v1, 'site/templates/a.php')
      t.is(applyEdits(v1, edits), v2)
      t.truthy(parsePhp(v2))
    }),
    settings(300),
  )
})

// Pieces that mean something to the rewriter, in any order.
const mixed = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<?php ',
        '?>',
        '<% ',
        ' %>',
        '<%= ',
        '{{ ',
        ' }}',
        "['items']",
        "['data']",
        '[0]',
        "['price']",
        "['id']",
        "['status']",
        '.items',
        '.data',
        '?.[0]',
        '.price',
        '.id',
        '.at(0)',
        '->',
        '$s',
        '$user',
        'user',
        's',
        '->subscriptions()',
        '.subscriptions()',
        'foreach (',
        ' as ',
        ') {',
        '}',
        ' endforeach;',
        'for (const ',
        ' of ',
        ' = ',
        ' === ',
        '; ',
        ', ',
        '"',
        "'",
        '`',
        '$' + '{',
        '{$',
        '/*',
        '*/',
        '//',
        '#',
        '\n',
        '(',
        ')',
        'purchases',
        'subscriptionForPrice(',
        'membership()',
        'provider()',
        'null',
        'break',
        'if (',
        'fn (',
        ' => ',
        'function ',
        '<<<A\n',
        '\nA;',
        'é',
        '\u{1F600}',
        '\\',
        '?',
        '!',
        ' as any',
      ),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => `${pieces.join('')} subscription`)
const files = [
  'a.php',
  'a.js',
  'a.ts',
  'a.tsx',
  'a.eta',
  'a.ejs',
  'a.twig',
  'a.blade.php',
  'a.latte',
  'a.liquid',
  'a.hbs',
  'a.vue',
  'a.pug',
  'a.html',
  'a',
]

function scriptKey(key: string, manner: string) {
  return /^\d+$/.test(key)
    ? manner === '?'
      ? `?.[${key}]`
      : manner === 'at'
        ? `.at(${key})`
        : `[${key}]`
    : manner === '?'
      ? `?.${key}`
      : manner === '['
        ? `["${key}"]`
        : `.${key}`
}

const scriptField: fc.Arbitrary<Pair> = fc
  .tuple(
    fc.constantFrom(...same),
    fc.constantFrom('.', '?', '[', 'at'),
    fc.array(space, { minLength: 9, maxLength: 9 }),
  )
  .map(([[path, property], manner, spaces]) => {
    const v1 = `s${path
      .split('.')
      .map((key, i) => (i === 0 || manner !== '.' ? '' : spaces[i]) + scriptKey(key, manner))
      .join('')}`
    return pair(v1, property === path ? v1 : `s${manner === '?' ? '?.' : '.'}${property}`)
  })

const scriptStatement: fc.Arbitrary<Pair> = fc.oneof(
  fc
    .constantFrom('/* s.customer */', "out('s.items.data[0].price.id')", '// s.customer\n', 'out(1)')
    .map((text) => pair(`${text};`.replace(/\n;$/, '\n'))),
  scriptField.map((field) => put('out(@);', field)),
  scriptField.map((field) => put('out(`<$' + '{@}>`);', field)),
  scriptField.map((field) => put("out(@ ?? 'none');", field)),
  scriptField.map((field) => put('[1, 2].forEach((n) => { out(n + `` + @) });', field)),
)

const scriptProgram: fc.Arbitrary<Pair> = fc
  .array(
    fc
      .tuple(
        fc.constantFrom(
          'for (const s of user.subscriptions()) { @ }',
          'user.subscriptions().forEach((s) => { @ });',
          'user.subscriptions().filter(function (s) { @ return true });',
          '{ const s = user.subscriptions()[0]; @ }',
          '{ const [s] = user.subscriptions(); @ }',
          '{ const subs = user.subscriptions(); subs.slice(1).map((s) => { @ }) }',
        ),
        fc.array(scriptStatement, { maxLength: 4 }),
      )
      .map(([loop, body]) => put(loop, join2(body, ' '))),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => join2(parts, '\n'))

/** A program with a piece taken out and another one put in. */
const damaged = fc
  .tuple(fc.oneof(phpProgram, scriptProgram), fc.nat(400), fc.nat(12), mixed)
  .map(([{ v1 }, at, length, more]) => v1.slice(0, at) + more.slice(0, 8) + v1.slice(at + length))

test('no text causes an exception, and findings lie within the text', (t) => {
  fc.assert(
    fc.property(
      fc.oneof(mixed, damaged, fc.string({ unit: 'binary', maxLength: 200 })),
      fc.constantFrom(...files),
      (text, file) => {
        const { edits, findings } = rewrite(text, file)
        for (const edit of inOrder(edits)) t.true(edit.end <= text.length)
        for (const { at } of findings) t.true(at >= 0 && at <= text.length)
        if (/\.(twig|blade\.php|latte|liquid|hbs|vue|pug|html)$/.test(file)) t.deepEqual(edits, [])
      },
    ),
    settings(2000),
  )
})

test('reversed edits restore the text, and a second run has none', (t) => {
  const check = (text: string, file: string) => {
    const { edits } = rewrite(text, file)
    const after = applyEdits(text, edits)
    t.is(applyEdits(after, invertEdits(text, edits)), text)
    t.deepEqual(rewrite(after, file).edits, [])
  }
  fc.assert(
    fc.property(phpProgram, ({ v1 }) => check(v1, 'a.php')),
    settings(200),
  )
  fc.assert(
    fc.property(scriptProgram, ({ v1 }) => check(v1, 'a.js')),
    settings(200),
  )
  fc.assert(
    fc.property(fc.oneof(mixed, damaged), fc.constantFrom(...files), (text, file) => check(text, file)),
    settings(1500),
  )
})

test('JavaScript and Eta around the known shapes give exactly the expected text', (t) => {
  fc.assert(
    fc.property(scriptProgram, ({ v1, v2 }) => {
      for (const [file, open, close] of [
        ['a.js', '', ''],
        ['a.ts', 'let x: string;\n', ''],
        ['a.eta', '<i>s.customer</i> <% ', ' %>'],
      ] as const) {
        const text = open + v1 + close
        t.is(applyEdits(text, rewrite(text, file).edits), open + v2 + close)
      }
      t.truthy(parseScript(v2, 'a.js'))
    }),
    settings(200),
  )
})

function raw(i: number) {
  return {
    id: `sub_${i}`,
    object: 'subscription',
    status: ['active', 'trialing', 'past_due'][i % 3],
    customer: `cus_${i}`,
    quantity: i + 1,
    cancel_at_period_end: i === 1,
    trial_end: i === 1 ? 1_770_000_000 : null,
    metadata: { seats: `${i}` },
    items: {
      data: [
        {
          id: `si_${i}`,
          quantity: i + 1,
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
const v1Subscriptions = [raw(0), raw(1), raw(2)]
const v2Subscriptions = v1Subscriptions.map((item) => toSubscriptionData(payload(item), false)!)

test('JavaScript behaves the same with both versions’ data', (t) => {
  const run = (code: string, subscriptions: readonly unknown[]) => {
    const out: unknown[] = []
    new Function('user', 'out', code)({ subscriptions: () => subscriptions }, (value: unknown) =>
      out.push(value),
    )
    return out
  }
  fc.assert(
    fc.property(scriptProgram, ({ v1 }) => {
      const v2 = applyEdits(v1, rewrite(v1, 'a.js').edits)
      t.deepEqual(run(v2, v2Subscriptions), run(v1, v1Subscriptions))
    }),
    settings(200),
  )
})

test('an Eta template renders the same with both versions’ data', (t) => {
  const template = `<% const subs = it.user.subscriptions() -%>
<% for (const s of subs) { /* s.customer */ %>
  <li><%= s.items.data[0].price.id %> <%~ s.customer %> <%= s.trial_end ? 'trial' : '' -%></li>
<% } %>
<%= subs.filter((s) => s.items.data[0].price.unit_amount > 500).map((s) => s.plan?.id ?? s.status).join() %>`
  const after = applyEdits(template, rewrite(template, 'a.eta').edits).replace(
    's.price_id ?? s.status',
    's.status',
  )
  const show = (text: string, subscriptions: readonly unknown[]) =>
    new Eta().renderString(text, { user: { subscriptions: () => subscriptions } })
  const shown = show(after, v2Subscriptions)
  t.regex(shown, /price_0 cus_0[\s\S]*price_1 cus_1 trial[\s\S]*trialing,past_due/)
  t.is(shown, show(template, v1Subscriptions))
})

const phpWorld = `
class User { public $all; function __construct($all) { $this->all = $all; } function subscriptions() { return $this->all; } }
class Site { public $user; function user() { return $this->user; } }
class Provider {
  function subscriptionForPrice($id) {
    foreach ($GLOBALS['v2'] as $one) if ($one->price_id === $id) return $one;
    return null;
  }
}
class Accessor { function provider() { return new Provider; } }
function kirby() { static $site; return $site ??= new Site; }
function membership() { return new Accessor; }
set_error_handler(function ($level, $text) { throw new ErrorException($text); });
$all = json_decode(file_get_contents(__DIR__ . '/subscriptions.json'), true);
$v2 = array_map(function ($one) { $one['items'] = array_map(fn ($i) => (object) $i, $one['items']); return (object) $one; }, $all['v2']);
$GLOBALS['v2'] = $v2;
$shown = [];
foreach (json_decode(file_get_contents(__DIR__ . '/programs.json')) as $i => $programs) {
  foreach (['v1', 'v2'] as $version) {
    $user = new User($version === 'v1' ? $all['v1'] : $v2);
    kirby()->user = $user;
    $code = str_replace('function show(', "function show_{$i}_{$version}(", str_replace(' show($user', " show_{$i}_{$version}(" . '$user', $programs->$version));
    $run = function ($user, $page, $wanted) use ($code) { eval('?>' . $code); };
    ob_start();
    $run($user, [], 'price_1');
    $shown[$i][$version] = ob_get_clean();
  }
}
echo json_encode($shown);
`

/** What real PHP shows for programs with each version's data. */
async function showPhp(programs: readonly Pair[]): Promise<Pair[]> {
  const folder = await mkdtemp(join(tmpdir(), 'templates-'))
  try {
    await writeFile(join(folder, 'world.php'), `<?php${phpWorld}`)
    await writeFile(join(folder, 'programs.json'), JSON.stringify(programs))
    await writeFile(
      join(folder, 'subscriptions.json'),
      JSON.stringify({ v1: v1Subscriptions, v2: v2Subscriptions }),
    )
    return JSON.parse(
      execFileSync('php', [join(folder, 'world.php')], { encoding: 'utf8', stdio: 'pipe' }),
    ) as Pair[]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const withPhp = hasPhp ? test : test.skip

withPhp('real PHP shows the same for both versions (skipped without php on the path)', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(phpProgram, { minLength: 20, maxLength: 40 }), async (programs) => {
      const both = programs.map(({ v1 }) => pair(v1, applyEdits(v1, rewrite(v1, 'a.php').edits)))
      const shown = await showPhp(both)
      t.is(shown.length, both.length)
      for (const [i, { v1, v2 }] of shown.entries()) t.is(v2, v1, both[i]!.v2)
    }),
    settings(8),
  )
})
