{
  "targets": [
    {
      "target_name": "plumbline",
      "type": "none",
      "actions": [
        {
          "action_name": "cmake_js",
          "message": "Building with cmake-js and CMakeLists.txt",
          "inputs": ["CMakeLists.txt"],
          "outputs": ["build/Release/plumbline.node"],
          "action": ["node", "scripts/native.mjs"]
        }
      ]
    }
  ]
}
