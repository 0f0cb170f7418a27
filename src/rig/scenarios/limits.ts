/** Bytes of a scenario file: far more than any that comes with the mock. */
export const largestText = 256 << 10
