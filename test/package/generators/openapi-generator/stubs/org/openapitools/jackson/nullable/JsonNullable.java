package org.openapitools.jackson.nullable;
public final class JsonNullable<T> {
  private final T value; private final boolean isPresent;
  private JsonNullable(T value, boolean isPresent) { this.value = value; this.isPresent = isPresent; }
  public static <T> JsonNullable<T> undefined() { return new JsonNullable<>(null, false); }
  public static <T> JsonNullable<T> of(T value) { return new JsonNullable<>(value, true); }
  public T get() { return value; }
  public boolean isPresent() { return isPresent; }
  public T orElse(T other) { return isPresent ? value : other; }
}
