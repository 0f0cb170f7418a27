/** A flag, an environment variable or a combination of them that cannot be used. */
export class ConfigError extends Error {}
