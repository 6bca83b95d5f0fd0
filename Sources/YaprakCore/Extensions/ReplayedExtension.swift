/// An extension that only a replay keeps up to date, from what files say of it: a view without the code that made it.
///
/// No database has it. A fork of a snapshot goes without it, and takes the extension of that name when it is registered.
package protocol ReplayedExtension: DatabaseExtension {}
