/** How the test of CONTRIBUTING.md adds a part to a copy of the project. */

/** A new file, or the change of one that is there. */
type Step = string | ((text: string) => string)

export interface AddedPart {
  /** What stands for each name in angle brackets. */
  names: Record<string, string>
  /** By the path that its checklist gives. */
  steps: Record<string, Step>
  /** What the derived documents then say. */
  shown: Record<string, RegExp>
}

export const listed = (from: string, name: string, list: RegExp) => (text: string) =>
  text.replace(/^import /m, `import { ${name} } from '${from}'\nimport `).replace(list, `$& ${name},`)
