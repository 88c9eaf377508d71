/** The sentences of a text, as its syntax tree has them, and the rules about sentences. */
import type { TextlintRuleContext, TextlintRuleReporter } from '@textlint/types'
import { automatedReadability } from 'automated-readability'
import { split } from 'sentence-splitter'

type VisitedNode = Parameters<TextlintRuleContext['report']>[0]

/** Visits every block that holds sentences: paragraphs, which lists have too, and the cells of tables. */
function eachBlock(
  context: Readonly<TextlintRuleContext>,
  visit: (node: VisitedNode, sentences: readonly string[]) => void,
) {
  const look = (node: VisitedNode): void => visit(node, sentencesOf(textOf(node)))
  return { [context.Syntax.Paragraph]: look, [context.Syntax.TableCell]: look }
}

interface TextNode {
  readonly type: string
  readonly value?: unknown
  readonly children?: readonly unknown[]
}

/** A piece of code counts as one word, an image and a comment as none. */
function textOf(node: TextNode): string {
  if (node.type === 'Code') return 'code'
  if (node.type === 'Break') return '\n'
  if (node.type === 'Image' || node.type === 'Html' || node.type === 'Comment') return ' '
  if (node.children) return node.children.map((child) => textOf(child as TextNode)).join('')
  return typeof node.value === 'string' ? node.value : ''
}

export function sentencesOf(text: string): string[] {
  return split(text).flatMap((piece) => (piece.type === 'Sentence' ? [piece.raw.trim()] : []))
}

/** A placeholder such as `{from date}` is one word, and so is a list of code; a dash or another sign is none. */
export function wordsOf(text: string): string[] {
  const sentence = text.replaceAll(/code(, code)+/g, 'code')
  const words = sentence.replaceAll(/\{[^}|]*\}/g, 'x').split(/[\s/]+/)
  return words.filter((word) => /[\p{L}\p{N}]/u.test(word))
}

/** Fails a sentence with more words than `max`. */
export function sentenceLength(max: number): TextlintRuleReporter {
  return (context) =>
    eachBlock(context, (node, sentences) => {
      for (const sentence of sentences) {
        const { length } = wordsOf(sentence)
        if (length > max) report(context, node, `${length} words, at most ${max}: “${sentence}”`)
      }
    })
}

const opening = /^[“"'(*_]*(What|Whatever|Whether|Who|Whom|Whose|Whoever|How|However|Where|Wherever|Of|That) /
/** These are questions of their own, or no clause: "That is why …", "However, …", "Of course". */
const plainOpening =
  /^(However,|Of course|That (is|was|way|page|has|needs|means|makes|takes|can|would|also)\b)/

/** Fails a sentence that begins with a relative clause or with its object: the subject comes first. */
export const subjectFirst: TextlintRuleReporter = (context) =>
  eachBlock(context, (node, sentences) => {
    for (const sentence of sentences) {
      const isSentence = /[.:]["”’)]*$/.test(sentence) && wordsOf(sentence).length > 3
      if (isSentence && opening.test(sentence) && !plainOpening.test(sentence))
        report(context, node, `begin with the subject: “${sentence}”`)
    }
  })

function report(context: Readonly<TextlintRuleContext>, node: VisitedNode, message: string): void {
  context.report(node, new context.RuleError(message.replaceAll(/\s+/g, ' ')))
}

/** The school grade that a text asks for (Automated Readability Index). It is reported and decides nothing. */
export function gradeOf(text: string): number {
  const sentences = sentencesOf(text)
  const words = sentences.flatMap(wordsOf)
  return automatedReadability({
    sentence: sentences.length,
    word: words.length,
    character: words.join('').length,
  })
}
