import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const file = join(import.meta.dirname, '../src/memberships/hooks/hook-events.ts')

/** The fields that an event has beside those of every event. */
function fieldsOf(type: ts.TypeNode | undefined): string[] {
  if (type === undefined) return []
  if (ts.isIntersectionTypeNode(type)) return type.types.flatMap(fieldsOf)
  if (ts.isTypeLiteralNode(type)) return type.members.map((member) => member.name?.getText() ?? '')
  return []
}

function linesOf(interfaceName: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const found = source.statements.find(
    (item): item is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(item) && item.name.text === interfaceName,
  )
  return (found?.members ?? []).map((member) => {
    const name = member.name?.getText().replaceAll("'", '')
    const type = ts.isPropertySignature(member) ? member.type : undefined
    const isPurchase = type !== undefined && type.getText() === 'Purchase'
    const fields = isPurchase ? ['member', 'price_id', 'plan', 'quantity', 'currency'] : fieldsOf(type)
    return `| \`${name}\` | ${fields.map((field) => `\`${field}\``).join(', ') || '–'} |`
  })
}

/** The fields of each hook, as the types have them. */
export function withHookPayloads(page: string): string {
  return page.replace(
    /(<!-- payloads -->\n)[\s\S]*?(<!-- \/payloads -->)/,
    (_, open: string, close: string) =>
      [
        `${open}| After | Fields beside \`id\`, \`at\`, \`member\` and \`signal\` |`,
        '|---|---|',
        ...linesOf('AfterEvents'),
        '',
        '| Before | Fields |',
        '|---|---|',
        ...linesOf('BeforeEvents'),
        close,
      ].join('\n'),
  )
}
