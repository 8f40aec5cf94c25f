/** The last bits of the version of a row are those of the offset of its record: they break ties of time, which stands before them. */
export const offsetBits = 22n
