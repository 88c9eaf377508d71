import { relative, sep } from 'node:path'
import ts from 'typescript'

/**
 * Prints the modules that write each table, from the statements themselves, and fails where a table has several. A table
 * has one owner; whoever else wants something written asks by the owner's door.
 */

/** Writes on behalf of the module that names the table, or of all of them. */
const tools = ['core/storage', 'core/jobs']

// A database of its own, in memory.
const scratch = 'src/memberships/import/scratch.ts'

const root = process.cwd()
const writing = new Set(['insertInto', 'updateTable', 'deleteFrom', 'mergeInto'])

/** Table → its writing modules, each with the lines where it writes. */
export function writersOfTables(): Map<string, Map<string, string[]>> {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
    ts.sys,
    root,
  )
  const files = ts.sys.readDirectory('src', ['.ts'])
  const program = ts.createProgram(files, { ...options, noEmit: true })
  const checker = program.getTypeChecker()
  const found = new Map<string, Map<string, string[]>>()

  const note = (table: string, node: ts.Node): void => {
    const source = node.getSourceFile()
    const path = relative(root, source.fileName).split(sep).join('/')
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
    const module = moduleOf(path)
    if (tools.includes(module) || path === scratch) return
    const writers = found.get(table) ?? new Map<string, string[]>()
    writers.set(module, [...(writers.get(module) ?? []), `${path}:${line}`])
    found.set(table, writers)
  }

  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [table] = node.arguments
      if (writing.has(node.expression.name.text) && table !== undefined)
        for (const name of literalsOf(table, checker)) note(name, node)
    }
    // A queue is claimed, and what is over is deleted, by the table that it names.
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'table')
      for (const name of literalsOf(node.initializer, checker)) note(name, node)
    ts.forEachChild(node, visit)
  }
  for (const source of program.getSourceFiles())
    if (!source.isDeclarationFile && source.fileName.startsWith(`${root}/src/`)) visit(source)
  return found
}

function literalsOf(node: ts.Expression, checker: ts.TypeChecker): string[] {
  if (ts.isStringLiteral(node)) return [node.text.split(' as ')[0]!]
  const type = checker.getTypeAtLocation(node)
  const types = type.isUnion() ? type.types : [type]
  return types.flatMap((one) => (one.isStringLiteral() ? [one.value.split(' as ')[0]!] : []))
}

/** `memberships/gifts`, `reports`: the folder that stands in the layout of the house. */
function moduleOf(path: string): string {
  const [, wing = '', room = ''] = path.split('/')
  return wing === 'memberships' || wing === 'core' ? `${wing}/${room}` : wing
}

function main(): void {
  const writers = [...writersOfTables()].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [table, modules] of writers) console.log(`${table}: ${[...modules.keys()].sort().join(', ')}`)
  const many = writers.filter(([, modules]) => modules.size > 1)
  console.log(`\n${writers.length} tables, ${many.length} with several writers`)
  for (const [table, modules] of many) {
    process.exitCode = 1
    console.error(`\n${table} has ${modules.size} writing modules. Ask its owner by its door:`)
    for (const [module, places] of modules) console.error(`  ${module}: ${places.join(', ')}`)
  }
}

main()
