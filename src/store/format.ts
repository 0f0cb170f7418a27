/** The version of the fixture and snapshot format that this program reads and writes. Apart from the schemas, so that the store runs without loading their library. */
export const formatNumber = 1
