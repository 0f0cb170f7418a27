/** How the tests show that a rule is broken. */
interface RuleProof {
  /** The mutant in `examples/clients/mutants/` that is convicted of it. Undefined if its misdeed is all there is. */
  readonly mutant: string | undefined
  /** Where its misdeed stands, if not in the table of `rules.test.ts`. */
  readonly misdeed?: string
  /** Whether no trouble of an exploration gives a chance to break it. */
  readonly isUnexplored?: true
}

/** One row for each rule of conduct. `rules.test.ts`, `explore.test.ts` and `convictions.test.ts` hold themselves to it. */
export const ruleProofs: Readonly<Record<string, RuleProof>> = {
  R01: { mutant: 'M2' },
  R02: { mutant: 'M1' },
  R03: { mutant: 'M4' },
  R04: { mutant: 'M5' },
  R05: { mutant: 'M6' },
  R06: { mutant: 'M7' },
  R07: { mutant: 'M8' },
  R08: { mutant: undefined },
  R09: { mutant: 'M9' },
  R10: { mutant: 'M10' },
  R11: { mutant: 'M10' },
  R12: { mutant: 'M12' },
  R13: { mutant: 'M11' },
  R14: { mutant: 'M23' },
  R15: { mutant: 'M14' },
  R16: { mutant: 'M13' },
  R17: { mutant: 'M15' },
  R18: { mutant: 'M24' },
  R19: { mutant: 'M18' },
  R20: { mutant: undefined },
  R21: { mutant: undefined },
  R22: { mutant: 'M21' },
  R23: { mutant: undefined },
  R24: { mutant: 'M16' },
  R25: { mutant: 'M20' },
  R26: { mutant: undefined },
  // Advice accuses nobody, so its misdeed is no row of that table.
  R27: { mutant: 'M27', misdeed: 'a test of its own there' },
  // Uploads, other hosts and TLS are no part of an exploration.
  R28: { mutant: undefined, isUnexplored: true },
  R29: { mutant: 'M22', misdeed: 'a test of its own there' },
  R30: { mutant: undefined, isUnexplored: true },
  R31: { mutant: undefined, misdeed: 'test/tls', isUnexplored: true },
}
