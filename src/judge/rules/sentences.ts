import type { Transaction } from '../logical-sendings.ts'

/** A transaction ID as sentences name it. */
export const idOf = ({ transactionId }: Pick<Transaction, 'transactionId'>): string => {
  if (transactionId === undefined) return 'no transactionId'
  return transactionId.length > 60
    ? `transactionId "${transactionId.slice(0, 57)}..."`
    : `transactionId "${transactionId}"`
}

/** `once`, `3 times`. */
export const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)
