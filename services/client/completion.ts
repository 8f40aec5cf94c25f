import { networkNames } from './networks.ts'

/** Completes words for the shell, and finds the word that was meant. */
export function completion(
  shell: string | undefined,
  words: readonly string[],
  paths: readonly string[],
  options: readonly string[],
): string {
  const bash = `_farebox() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  [[ "$word" == -* ]] && COMPREPLY=($(compgen -W "${options.map(option => `--${option}`).join(' ')}" -- "$word")) && return
  case "$before" in
    call|quote) COMPREPLY=($(compgen -W "${paths.join(' ')}" -- "$word")) ;;
    payments) COMPREPLY=($(compgen -W "fetch drop" -- "$word")) ;;
    market) COMPREPLY=($(compgen -W "best" -- "$word")) ;;
    receipt) COMPREPLY=($(compgen -W "verify" -- "$word")) ;;
    verify) COMPREPLY=($(compgen -f -- "$word")) ;;
    --network) COMPREPLY=($(compgen -W "${networkNames.join(' ')}" -- "$word")) ;;
    farebox) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$word")) ;;
  esac
}
complete -F _farebox farebox`
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bash}` : bash
}

/** Finds the nearest known word, if it is near enough to be the one that was meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map(each => ({ each, away: distance(word, each) })).sort((a, b) => a.away - b.away)
  const [first] = ranked
  return first && first.away <= Math.max(2, Math.floor(word.length / 2)) ? first.each : undefined
}

/** Counts the letters to add, remove or change (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
