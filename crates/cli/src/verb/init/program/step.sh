# The program of the task `step`: reads files, writes files, and ends with exit code 0. Put your own in its place, in any
# language; its command is in workflow.json.
#   $1  the value of the parameter `invert`
#   $2  the region `candidates`: a mask as an uncompressed TIFF, 0 and 255
#   $3  where the region `found` is expected, in the same form
#   $4  the region `diff`: the top-hat of the image, grey values of 8 bits; this script does not read it
# What it prints is kept under logs/ in the folder of the run.
echo "invert = $1"
if [ "$1" = 1 ]; then
  # The pixels of a mask begin at byte 146 of its file.
  { head -c 146 "$2"; tail -c +147 "$2" | tr '\000\377' '\377\000'; } > "$3"
else
  cp "$2" "$3"
fi
