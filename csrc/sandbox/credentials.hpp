// Who the confined code is: never root, with no capability beyond using the files it is shown.
#pragma once

namespace prefrontal::sandbox {

// Root becomes a user that nobody else is and keeps one capability, to be let through file modes:
// namespaces and Landlock decide what can be reached. Anybody else stays who they are and keeps
// none. ordinal: a number that no other sandbox has now. Throws Failure.
void give_up_privileges(int ordinal);

// Root that watches the command with this ordinal may lack the right to look at others' open files;
// with the command's user for files, and its own capabilities, it may look at the command's.
void look_at_files_of(int ordinal);

}  // namespace prefrontal::sandbox
