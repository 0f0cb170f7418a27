/** The disk said no, or what is on it cannot be trusted. The message names the file and what to do. */
export class StorageError extends Error {}

/** What an error says, whatever was thrown. */
export const reason = (error: unknown) => (error instanceof Error ? error.message : String(error))
