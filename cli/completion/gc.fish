# Completion of gc for fish: gc completion fish | source
function __gc_complete
    set -l words (commandline -opc)
    set -l reply ($words[1] __complete -- $words[2..] (commandline -ct) 2>/dev/null)
    if test $status -ne 0
        __fish_complete_path (commandline -ct)
        return
    end
    string join \n -- $reply
end
complete -c gc -f -a '(__gc_complete)'
complete -c bd -f -a '(__gc_complete)'
