/** Work that something else may end before it ends itself. A race does the same with three promises more for each sale. */

/** Ends as the work does, unless what begins here cuts it off before. `begin` gives what ends the watch for a cut. */
export function unlessCut<T>(
  work: Promise<T>,
  begin: (cut: (error: Error) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = begin(reject)
    work.then(
      value => {
        end()
        resolve(value)
      },
      error => {
        end()
        reject(error)
      },
    )
  })
}
